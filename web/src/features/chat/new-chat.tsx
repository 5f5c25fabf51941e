// A new conversation: with whom, and the first thing to say.

import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useId, useState } from "react";
import { useAgents } from "@/api/agents";
import type { Agent } from "@/api/client";
import { useStart } from "@/api/start";
import { fill, say } from "@/messages";
import { Card } from "@/ui/card";
import { Choice, Choices } from "@/ui/choice";
import { Failure, Loading } from "@/ui/notice";
import { Name, Seen } from "@/ui/seen";
import { WordsToSend } from "./composer";

export function NewChat() {
  const agents = useAgents();
  return (
    <Card className="p-4 sm:p-6">
      <h2 className="text-lg font-semibold tracking-tight">{say.chat.start}</h2>
      <p className="mt-0.5 mb-4 text-sm text-soft">{say.chat.startText}</p>
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
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [agent, setAgent] = useState(agents[0]?.name ?? "");
  const id = useId();
  const send = (input: string) =>
    start.mutate(
      { agent, input },
      {
        onSuccess: ({ session_id }) => {
          queries.invalidateQueries({ queryKey: ["sessions", "list"] });
          if (session_id != null) navigate({ to: "/chat/$session", params: { session: session_id } });
        },
      },
    );
  return (
    <div className="space-y-4">
      <Choices kind="one" legend={say.runs.agent}>
        {agents.map((each) => (
          <Choice
            key={each.name}
            kind="one"
            name={`${id}-agent`}
            chosen={each.name === agent}
            onChoose={() => setAgent(each.name)}
            label={<Name text={each.name} />}
          >
            {each.description != null && <Seen text={each.description} />}
          </Choice>
        ))}
      </Choices>
      <WordsToSend
        label={fill(say.chat.write, { agent })}
        busy={start.isPending}
        error={start.error}
        rows={3}
        onSend={send}
      />
    </div>
  );
}
