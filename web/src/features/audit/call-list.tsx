// The calls, a page at a time.

import { useRef } from "react";
import { say } from "@/messages";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { useKeys } from "@/ui/keys";
import { Empty, Failure, Loading } from "@/ui/notice";
import { CallRow } from "./call-row";
import { type Filter, isEmpty } from "./filter";
import { useCalls } from "./list";

export function CallList({ filter }: { filter: Filter }) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetching, isFetchingNextPage } = useCalls(filter);
  const list = useRef<HTMLUListElement>(null);
  useKeys({ j: () => step(list.current, 1), k: () => step(list.current, -1) });
  if (data === undefined) {
    return error === null ? <Loading rows={5} /> : <Failure title={say.audit.failed} error={error} onRetry={refetch} />;
  }
  const calls = data.pages.flatMap((page) => page.items);
  return (
    <section aria-busy={isFetching}>
      <div className="mb-2 flex items-baseline justify-between px-1">
        <h2 className="text-[0.8125rem] font-semibold text-soft">{say.audit.list}</h2>
        <Button look="quiet" disabled={isFetching} onClick={() => refetch()}>
          {say.audit.again}
        </Button>
      </div>
      {error !== null && <Failure title={say.audit.failed} error={error} onRetry={refetch} />}
      {calls.length === 0 && !hasNextPage && (
        <Empty title={isEmpty(filter) ? say.audit.empty : say.audit.emptyFiltered}>
          {isEmpty(filter) && say.audit.emptyText}
        </Empty>
      )}
      {calls.length > 0 && (
        <Card className="overflow-hidden">
          <ul ref={list} aria-label={say.audit.list} className="divide-y divide-line">
            {calls.map((call) => (
              <CallRow key={`${call.run_id} ${call.tool_call_id}`} call={call} />
            ))}
          </ul>
        </Card>
      )}
      {hasNextPage && (
        <Button className="mt-4" disabled={isFetchingNextPage} onClick={() => fetchNextPage()}>
          {isFetchingNextPage && calls.length === 0
            ? say.audit.looking
            : calls.length === 0
              ? say.audit.lookOn
              : say.app.more}
        </Button>
      )}
    </section>
  );
}

/** Moves the focus to the row so many after the one that has it. */
function step(list: HTMLElement | null, by: 1 | -1): void {
  const rows = [...(list?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
  const here = rows.findIndex(
    (row) => row === document.activeElement || row.parentElement?.contains(document.activeElement),
  );
  const next = rows[here === -1 ? 0 : Math.min(rows.length - 1, Math.max(0, here + by))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}
