// What is allowed, or what is denied, with who gave it and until when, and the way to take it back.

import type { Grant } from "@/api/client";
import { date, fill, say } from "@/messages";
import { Button } from "@/ui/button";
import { Part } from "@/ui/card";
import { Failure } from "@/ui/notice";
import { Say } from "@/ui/say";
import { Name, Seen } from "@/ui/seen";
import { Ago, useNow } from "@/ui/time";
import { type Side, useChange } from "./grants";

export function GrantList({ user, side, grants }: { user: string; side: Side; grants: Grant[] }) {
  const title = side === "allow" ? say.rules.allow : say.rules.deny;
  return (
    <Part title={title}>
      {grants.length === 0 ? (
        <p className="text-sm text-soft">{side === "allow" ? say.rules.noAllow : say.rules.noDeny}</p>
      ) : (
        <ul aria-label={title} data-side={side} className="divide-y divide-line rounded-lg border border-line">
          {grants.map((grant) => (
            <li key={`${grant.source} ${grant.resource}`} className="px-3.5 py-3">
              <Row user={user} side={side} grant={grant} />
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}

function Row({ user, side, grant }: { user: string; side: Side; grant: Grant }) {
  const takeBack = useChange(user);
  return (
    <>
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <p className="exact text-sm font-semibold">
            <Seen text={grant.resource} strictness="exact" />
          </p>
          <p className="mt-1 flex flex-wrap gap-x-3 text-xs text-soft">
            <Given grant={grant} />
            <End grant={grant} />
            {grant.source === "file" && <span>{say.policy.fromFile}</span>}
          </p>
          {grant.reason != null && (
            <p className="mt-1 text-sm whitespace-pre-wrap wrap-anywhere">
              <Seen text={grant.reason} />
            </p>
          )}
        </div>
        {grant.source !== "file" && (
          <Button
            look="stop"
            aria-label={fill(say.rules.takeBackOf, { pattern: grant.resource })}
            disabled={takeBack.isPending}
            aria-busy={takeBack.isPending}
            onClick={() => takeBack.mutate({ kind: "take-back", side, resource: grant.resource })}
          >
            {takeBack.isPending ? say.rules.takingBack : say.rules.takeBack}
          </Button>
        )}
      </div>
      {takeBack.error !== null && (
        <div className="mt-2">
          <Failure title={say.rules.takeBackFailed} error={takeBack.error} />
        </div>
      )}
    </>
  );
}

function Given({ grant }: { grant: Grant }) {
  const when = grant.given_at == null ? "" : <Ago at={grant.given_at} />;
  if (grant.given_by == null) return <span>{when}</span>;
  return (
    <span>
      <Say text={say.rules.givenBy} values={{ who: <Name text={grant.given_by} />, when }} />
    </span>
  );
}

function End({ grant }: { grant: Grant }) {
  const now = useNow(5000);
  if (grant.expires_at == null) return <span>{say.rules.endless}</span>;
  const end = Date.parse(grant.expires_at);
  return (
    <span className={end <= now ? "font-medium text-warn" : ""}>
      {fill(end <= now ? say.rules.ended : say.rules.endsAt, { when: date(end) })}
    </span>
  );
}
