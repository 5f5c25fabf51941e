// Who can be run, with which tools, and who is at work.

import type { ReactNode } from "react";
import { useAgents } from "@/api/agents";
import type { Agent, Run } from "@/api/client";
import { many, say } from "@/messages";
import { Badge } from "@/ui/badge";
import { Card } from "@/ui/card";
import { Empty, Failure, Loading } from "@/ui/notice";
import { Name, Seen } from "@/ui/seen";
import { useWorking } from "./working";

/** Draws a run that has not ended, with the way to stop it. */
type RenderRun = (run: Run) => ReactNode;

export function AgentsPage({ renderRun }: { renderRun: RenderRun }) {
  const agents = useAgents();
  return (
    <div className="mx-auto w-full max-w-3xl space-y-5 px-4 py-6 lg:px-6">
      <header className="px-1">
        <h1 className="text-lg font-semibold tracking-tight">{say.agents.title}</h1>
        <p className="text-sm text-soft">{say.agents.text}</p>
      </header>
      {agents.data === undefined ? (
        agents.error === null ? (
          <Loading />
        ) : (
          <Failure title={say.agents.failed} error={agents.error} onRetry={agents.refetch} />
        )
      ) : agents.data.length === 0 ? (
        <Empty title={say.agents.empty}>{say.agents.emptyText}</Empty>
      ) : (
        <All agents={agents.data} renderRun={renderRun} />
      )}
    </div>
  );
}

function All({ agents, renderRun }: { agents: Agent[]; renderRun: RenderRun }) {
  const working = useWorking();
  return (
    <>
      {working.error !== null && working.data === undefined && (
        <Failure title={say.agents.runsFailed} error={working.error} onRetry={working.refetch} />
      )}
      <ul className="space-y-4">
        {agents.map((agent) => (
          <li key={agent.name} data-agent={agent.name}>
            <One
              agent={agent}
              runs={working.data?.runs.filter((run) => run.agent === agent.name)}
              renderRun={renderRun}
            />
          </li>
        ))}
      </ul>
      {working.data?.more && <p className="px-1 text-xs text-soft">{say.agents.more}</p>}
    </>
  );
}

type OneProps = { agent: Agent; runs: Run[] | undefined; renderRun: RenderRun };

function One({ agent, runs, renderRun }: OneProps) {
  return (
    <Card>
      <div className="space-y-3 p-4 sm:p-6">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h2 className="text-lg font-semibold tracking-tight wrap-anywhere">
            <Name text={agent.name} />
          </h2>
          <span className="text-sm text-soft">{agent.script ? say.agents.script : say.agents.model}</span>
          {runs !== undefined && (
            <span className="ml-auto">
              <Badge tone={runs.length > 0 ? "info" : "neutral"}>
                {runs.length > 0 ? many(say.agents.working, runs.length) : say.agents.idle}
              </Badge>
            </span>
          )}
        </div>
        {agent.description != null && (
          <p className="whitespace-pre-wrap wrap-anywhere">
            <Seen text={agent.description} />
          </p>
        )}
        <Tools tools={agent.tools} />
      </div>
      {runs !== undefined && runs.length > 0 && (
        <ul className="divide-y divide-line border-t border-line">
          {runs.map((run) => (
            <li key={run.id} className="px-4 py-3 sm:px-6">
              {renderRun(run)}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function Tools({ tools }: { tools: string[] | null | undefined }) {
  if (tools == null || tools.length === 0) {
    return <p className="text-sm text-soft">{tools == null ? say.agents.allTools : say.agents.noTools}</p>;
  }
  return (
    <ul aria-label={say.agents.tools} className="flex flex-wrap gap-1.5">
      {tools.map((tool) => (
        <li key={tool} className="rounded-md bg-sunk px-2 py-0.5 font-mono text-[0.8125rem] wrap-anywhere">
          <Name text={tool} />
        </li>
      ))}
    </ul>
  );
}
