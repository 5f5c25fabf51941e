// What a question is about, in a line of ours.

import type { Interaction } from "@/api/client";
import { say } from "@/messages";
import { Badge } from "@/ui/badge";
import { Say } from "@/ui/say";
import { Name, Sentence } from "@/ui/seen";
import { briefly, willDo } from "./effect";
import { RiskBadge } from "./risk-badge";

export function Headline({ interaction }: { interaction: Interaction }) {
  const { call, asked_by, purpose, title } = interaction;
  const values = { agent: <Name text={asked_by.agent} />, tool: <Name text={call.tool} /> };
  if (purpose === "approval") return <Say text={willDo(call)} values={values} />;
  if (purpose === "question") return <Say text={say.call.asks} values={values} />;
  return <Sentence text={title} />;
}

/** The most telling line of it, for lists. */
export function tellingLine(interaction: Interaction): string {
  return interaction.purpose === "question" ? interaction.title : briefly(interaction.call);
}

/** How dangerous the call is that waits; where none does, what is asked for. */
export function KindBadge({ interaction }: { interaction: Interaction }) {
  const words: Record<string, string> = say.call.purpose;
  const word = words[interaction.purpose];
  if (word === undefined) return <RiskBadge risk={interaction.call.risk} />;
  return <Badge tone={interaction.purpose === "uncertain_outcome" ? "warn" : "info"}>{word}</Badge>;
}

/** The words of whoever asks a question. One that is not described is described by its call, which says nothing here. */
export function ownWords({ title, description, call }: Interaction): { title: string; description?: string } {
  const drawn = [call.resource, `a call of \`${call.server == null ? call.tool : `${call.server}/${call.tool}`}\``];
  return drawn.includes(description) || description === "" ? { title } : { title, description };
}
