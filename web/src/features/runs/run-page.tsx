// One run: what it was asked, where it stands, and everything that happened.

import { Link } from "@tanstack/react-router";
import { useAgents } from "@/api/agents";
import type { Run } from "@/api/client";
import { Problem } from "@/api/client";
import { hasEnded } from "@/api/reach";
import { useRun } from "@/api/run";
import { fill, number, say } from "@/messages";
import { Card, Facts } from "@/ui/card";
import { Empty, Failure, Loading, Notice } from "@/ui/notice";
import { Name, Seen, Sentence } from "@/ui/seen";
import { Ago } from "@/ui/time";
import { type Events, useRunEvents } from "./events";
import { CallBadge, ScriptBadge, StatusBadge } from "./status-badge";
import { StopRun } from "./stop-run";
import { type RenderInteraction, Timeline } from "./timeline";
import { WriteToAgent } from "./write-to-agent";

export function RunPage({ id, renderInteraction }: { id: string; renderInteraction: RenderInteraction }) {
  const { data: run, error, refetch } = useRun(id);
  return (
    <div className="mx-auto w-full max-w-3xl space-y-6 px-4 py-6 lg:px-6">
      <Link
        to="/runs"
        activeOptions={{ exact: true }}
        className="inline-flex min-h-9 items-center text-sm font-medium text-accent"
      >
        ← {say.run.back}
      </Link>
      {run !== undefined ? (
        <Found run={run} renderInteraction={renderInteraction} />
      ) : error === null ? (
        <Loading />
      ) : error instanceof Problem && [400, 404].includes(error.status) ? (
        <Empty title={say.run.none} heading="h1">
          {say.run.noneText}
        </Empty>
      ) : (
        <Failure title={say.run.failed} error={error} onRetry={refetch} />
      )}
    </div>
  );
}

function Found({ run, renderInteraction }: { run: Run; renderInteraction: RenderInteraction }) {
  const live = useRunEvents(run.id);
  return (
    <>
      <Head run={run} />
      <section aria-label={say.run.events}>
        <div className="mb-3 flex items-baseline justify-between gap-3">
          <h2 className="text-lg font-semibold tracking-tight">{say.run.events}</h2>
          <Connection live={live} />
        </div>
        {live.problem && <Failure title={say.run.lost} error={live.problem} />}
        <Timeline agent={run.agent} live={live} renderInteraction={renderInteraction} />
      </section>
      {!hasEnded(run) && run.kind !== "call" && <WriteToAgent run={run} />}
    </>
  );
}

function Head({ run }: { run: Run }) {
  const script = useAgents().data?.find((agent) => agent.name === run.agent)?.script;
  return (
    <Card className="space-y-4 p-4 sm:p-6">
      <div className="flex flex-wrap items-center gap-2">
        <span className="font-semibold">
          <Name text={run.agent} />
        </span>
        {script && <ScriptBadge />}
        {run.kind === "call" && <CallBadge />}
        <span className="ml-auto" data-run-status={run.status}>
          <StatusBadge status={run.status} />
        </span>
      </div>
      <h1 className="text-xl font-semibold tracking-tight whitespace-pre-wrap text-balance wrap-anywhere">
        <span className="sr-only">{say.run.asked}: </span>
        <Seen text={run.input} />
      </h1>
      {run.output != null && (
        <p className="border-l-2 border-accent pl-3 whitespace-pre-wrap wrap-anywhere">
          <Seen text={run.output} />
        </p>
      )}
      {run.error != null && <Ending status={run.status} error={run.error} />}
      <Facts facts={facts(run)} />
      {!hasEnded(run) && <StopRun run={run} />}
    </Card>
  );
}

/** Why it ended early. To be stopped is no failure. */
function Ending({ status, error }: { status: string; error: NonNullable<Run["error"]> }) {
  if (status !== "cancelled") return <Failure title={error.code} error={new Problem(0, error.code, error.message)} />;
  return <Notice tone="neutral" title={<Sentence text={error.message} />} />;
}

function facts(run: Run): [string, React.ReactNode][] {
  const { input_tokens, output_tokens } = run.usage;
  const found: [string, React.ReactNode][] = [
    [say.run.started, <Ago key="started" at={run.created_at} />],
    [say.run.user, run.user_id == null ? say.call.nobody : <Name key="user" text={run.user_id} />],
  ];
  if (run.cwd != null) {
    const cwd = (
      <code key="cwd" className="font-mono text-[0.9em]">
        <Name text={run.cwd} />
      </code>
    );
    found.push([say.run.folder, cwd]);
  }
  if (input_tokens + output_tokens > 0) {
    const used = fill(say.run.used, { input: number(input_tokens), output: number(output_tokens) });
    found.push([say.run.tokens, used]);
  }
  return found;
}

function Connection({ live }: { live: Events }) {
  if (live.problem) return null;
  const words = { connecting: say.run.connecting, live: say.run.live, broken: say.run.again, over: say.run.over };
  const colours = {
    connecting: "bg-line-strong",
    live: "bg-go animate-pulse",
    broken: "bg-warn",
    over: "bg-line-strong",
  };
  return (
    <span role="status" data-connection={live.state} className="flex items-center gap-2 text-xs text-soft">
      <span aria-hidden="true" className={`size-1.5 rounded-full ${colours[live.state]}`} />
      {words[live.state]}
    </span>
  );
}
