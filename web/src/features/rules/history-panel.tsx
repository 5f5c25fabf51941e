// What was changed in the policy, by whom and why, and the way to undo it. For operators.

import type { PolicyChange } from "@/api/client";
import { fill, say } from "@/messages";
import { Button } from "@/ui/button";
import { Card, Fold } from "@/ui/card";
import { Failure, Loading } from "@/ui/notice";
import { Say } from "@/ui/say";
import { Name, Seen } from "@/ui/seen";
import { Ago } from "@/ui/time";
import { useHistory, useUndo } from "./policy";

export function HistoryPanel() {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useHistory();
  const changes = data?.pages.flatMap(({ items }) => items);
  return (
    <Card className="p-4 sm:p-6">
      <h2 className="text-lg font-semibold tracking-tight">{say.policy.history}</h2>
      <p className="max-w-prose text-sm text-soft">{say.policy.historyText}</p>
      <div className="mt-4">
        {changes === undefined &&
          (error === null ? (
            <Loading rows={2} />
          ) : (
            <Failure title={say.policy.historyFailed} error={error} onRetry={refetch} />
          ))}
        {changes?.length === 0 && <p className="text-sm text-soft">{say.policy.historyNone}</p>}
        {changes !== undefined && changes.length > 0 && (
          <ol aria-label={say.policy.history} className="divide-y divide-line rounded-lg border border-line">
            {changes.map((change) => (
              <li key={change.version} data-version={change.version} className="px-3.5 py-3">
                <Row change={change} />
              </li>
            ))}
          </ol>
        )}
        {hasNextPage && (
          <Button className="mt-3" disabled={isFetchingNextPage} onClick={() => fetchNextPage()}>
            {say.policy.older}
          </Button>
        )}
      </div>
    </Card>
  );
}

function Row({ change }: { change: PolicyChange }) {
  const undo = useUndo();
  const kinds: Record<string, string> = say.policy.kinds;
  const did = change.after == null ? say.policy.removed : change.before == null ? say.policy.made : say.policy.changed;
  return (
    <>
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <p className="text-sm wrap-anywhere">
            <span className="text-soft">
              {kinds[change.kind] ?? change.kind} {did}:
            </span>{" "}
            <span className="font-semibold">
              <Name text={change.key} />
            </span>
            {change.user_id != null && (
              <span className="text-soft"> {fill(say.policy.of, { user: change.user_id })}</span>
            )}
          </p>
          <p className="mt-1 text-xs text-soft">
            <Say text={say.policy.madeBy} values={{ who: <Name text={change.by} />, when: <Ago at={change.at} /> }} />
          </p>
          {change.why != null && (
            <p className="mt-1 text-sm whitespace-pre-wrap wrap-anywhere">
              <Seen text={change.why} />
            </p>
          )}
        </div>
        {change.kind !== "configuration" && (
          <Button
            aria-label={fill(say.policy.undoOf, { version: change.version })}
            disabled={undo.isPending}
            aria-busy={undo.isPending}
            onClick={() => undo.mutate(change.version)}
          >
            {undo.isPending ? say.policy.undoing : say.policy.undo}
          </Button>
        )}
      </div>
      {undo.error !== null && (
        <div className="mt-2">
          <Failure title={say.policy.undoFailed} error={undo.error} />
        </div>
      )}
      <Fold summary={say.policy.details}>
        <div className="grid gap-3 sm:grid-cols-2">
          <Thing title={say.policy.was} thing={change.before} />
          <Thing title={say.policy.is} thing={change.after} />
        </div>
      </Fold>
    </>
  );
}

function Thing({ title, thing }: { title: string; thing: unknown }) {
  return (
    <div className="min-w-0">
      <p className="text-xs font-semibold text-soft">{title}</p>
      {thing == null ? (
        <p className="text-sm text-soft">{say.policy.nothing}</p>
      ) : (
        <pre className="exact mt-1 rounded-lg bg-code p-3 text-xs whitespace-pre-wrap">
          {/* Line by line: the breaks are ours, and none of what somebody wrote. */}
          {JSON.stringify(thing, null, 2)
            .split("\n")
            .map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one text never change places
              <span key={index} className="block">
                <Seen text={line} strictness="exact" />
              </span>
            ))}
        </pre>
      )}
    </div>
  );
}
