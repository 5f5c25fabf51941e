// All runs, and the way to start one.

import { Link } from "@tanstack/react-router";
import type { Run } from "@/api/client";
import { say } from "@/messages";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Empty, Failure, Loading } from "@/ui/notice";
import { Name, Seen } from "@/ui/seen";
import { Ago } from "@/ui/time";
import { useRuns } from "./list";
import { StartForm } from "./start-form";
import { CallBadge, StatusBadge } from "./status-badge";

export function RunsPage() {
  return (
    <div className="mx-auto w-full max-w-3xl space-y-8 px-4 py-6 lg:px-6">
      <h1 className="sr-only">{say.runs.title}</h1>
      <StartForm />
      <section>
        <h2 className="mb-3 px-1 text-lg font-semibold tracking-tight">{say.runs.recent}</h2>
        <Recent />
      </section>
    </div>
  );
}

function Recent() {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useRuns();
  if (data === undefined) {
    return error === null ? <Loading /> : <Failure title={say.runs.failed} error={error} onRetry={refetch} />;
  }
  const runs = data.pages.flatMap((page) => page.items);
  if (runs.length === 0) return <Empty title={say.runs.empty}>{say.runs.emptyText}</Empty>;
  return (
    <>
      <Card className="overflow-hidden">
        <ul className="divide-y divide-line">
          {runs.map((run) => (
            <li key={run.id}>
              <Row run={run} />
            </li>
          ))}
        </ul>
      </Card>
      {hasNextPage && (
        <Button className="mt-4" disabled={isFetchingNextPage} onClick={() => fetchNextPage()}>
          {say.app.more}
        </Button>
      )}
    </>
  );
}

function Row({ run }: { run: Run }) {
  return (
    <Link to="/runs/$id" params={{ id: run.id }} className="block px-4 py-3 -outline-offset-2 hover:bg-sunk sm:px-5">
      <span className="line-clamp-2 text-[0.9375rem] font-medium wrap-anywhere">
        <Seen text={run.input} />
      </span>
      <span className="mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-soft">
        <StatusBadge status={run.status} />
        {run.kind === "call" && <CallBadge />}
        <Name text={run.agent} />
        <span className="ml-auto text-xs">
          <Ago at={run.created_at} />
        </span>
      </span>
    </Link>
  );
}
