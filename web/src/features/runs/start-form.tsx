// Starts a run: an agent, and what it is asked.

import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useId, useState } from "react";
import type { Agent } from "@/api/client";
import { say } from "@/messages";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Failure, Loading } from "@/ui/notice";
import { Name, Seen } from "@/ui/seen";
import { useAgents } from "./agents";
import { useStart } from "./start";
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
      <fieldset>
        <legend className="text-sm font-semibold">{say.runs.agent}</legend>
        <div className="mt-1.5 grid gap-2 sm:grid-cols-2">
          {agents.map((each) => (
            <Choice key={each.name} agent={each} chosen={each.name === agent} onChoose={() => setAgent(each.name)} />
          ))}
        </div>
      </fieldset>
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

function Choice({ agent, chosen, onChoose }: { agent: Agent; chosen: boolean; onChoose: () => void }) {
  return (
    <label
      className={`flex gap-3 rounded-lg border px-3.5 py-3 transition-colors has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent ${chosen ? "border-accent bg-accent-soft" : "border-line hover:border-line-strong"}`}
    >
      <input
        type="radio"
        name="agent"
        checked={chosen}
        onChange={onChoose}
        className="mt-1 size-4 accent-accent outline-none"
      />
      <span className="min-w-0">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm font-semibold">
          <Name text={agent.name} />
          {agent.script && <ScriptBadge />}
        </span>
        {agent.description != null && (
          <span className="mt-0.5 block text-sm text-soft">
            <Seen text={agent.description} />
          </span>
        )}
        <span className="mt-0.5 block font-mono text-xs text-soft wrap-anywhere">{toolsOf(agent)}</span>
      </span>
    </label>
  );
}

function toolsOf(agent: Agent): string {
  if (agent.tools == null) return say.runs.allTools;
  return agent.tools.length === 0 ? say.runs.noTools : agent.tools.join(", ");
}
