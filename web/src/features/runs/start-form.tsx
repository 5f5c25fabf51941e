// Starts a run: an agent, and what it is asked.

import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useId, useState } from "react";
import { useAgents } from "@/api/agents";
import type { Agent } from "@/api/client";
import { useStart } from "@/api/start";
import { say } from "@/messages";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Choice, Choices } from "@/ui/choice";
import { Failure, Loading } from "@/ui/notice";
import { Name, Seen } from "@/ui/seen";
import { ScriptBadge } from "./status-badge";

export function StartForm() {
  const agents = useAgents();
  return (
    <Card className="p-4 sm:p-6">
      <h2 className="mb-4 text-lg font-semibold tracking-tight">{say.runs.start}</h2>
      {agents.data !== undefined ? (
        agents.data.length > 0 ? (
          <Form agents={agents.data} />
        ) : (
          <p className="text-sm text-soft">{say.runs.noAgents}</p>
        )
      ) : agents.error !== null ? (
        <Failure title={say.runs.agentsFailed} error={agents.error} onRetry={agents.refetch} />
      ) : (
        <Loading rows={2} />
      )}
    </Card>
  );
}

function Form({ agents }: { agents: Agent[] }) {
  const start = useStart();
  const navigate = useNavigate();
  const [agent, setAgent] = useState(agents[0]?.name ?? "");
  const [input, setInput] = useState("");
  const id = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!input.trim() || start.isPending) return;
    start.mutate({ agent, input }, { onSuccess: (run) => navigate({ to: "/runs/$id", params: { id: run.id } }) });
  };
  return (
    <form onSubmit={submit} className="space-y-4">
      {start.error && <Failure title={say.runs.startFailed} error={start.error} />}
      <Choices kind="one" legend={say.runs.agent}>
        {agents.map((each) => (
          <Choice
            key={each.name}
            kind="one"
            name={`${id}-agent`}
            chosen={each.name === agent}
            onChoose={() => setAgent(each.name)}
            label={<AgentName agent={each} />}
          >
            {each.description != null && <Seen text={each.description} />}
            <span className="mt-0.5 block font-mono text-xs">{toolsOf(each)}</span>
          </Choice>
        ))}
      </Choices>
      <div>
        <label htmlFor={id} className="text-sm font-semibold">
          {say.runs.input}
        </label>
        <textarea
          id={id}
          required
          rows={3}
          value={input}
          placeholder={say.runs.inputPlaceholder}
          onChange={(event) => setInput(event.target.value)}
          className="mt-1.5 block w-full resize-y rounded-lg border border-line-strong bg-code px-3 py-2 text-base placeholder:text-soft sm:text-sm"
        />
      </div>
      <Button
        type="submit"
        look="go"
        className="max-sm:w-full sm:min-w-32"
        disabled={start.isPending}
        aria-busy={start.isPending}
      >
        {start.isPending ? say.runs.starting : say.runs.startButton}
      </Button>
    </form>
  );
}

function AgentName({ agent }: { agent: Agent }) {
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1 font-semibold">
      <Name text={agent.name} />
      {agent.script && <ScriptBadge />}
    </span>
  );
}

function toolsOf(agent: Agent): string {
  if (agent.tools == null) return say.runs.allTools;
  return agent.tools.length === 0 ? say.runs.noTools : agent.tools.join(", ");
}
