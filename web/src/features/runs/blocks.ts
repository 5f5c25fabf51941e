// The events of a run as a conversation: what was said, what is asked, and between them what was done.

import type { Interaction, RunEvent } from "@/api/client";
import { proposedIn, textOf } from "./told";

export type Block =
  | { kind: "said"; key: string; text: string }
  | { kind: "written"; key: string; text: string }
  | { kind: "asked"; key: string; interaction: Interaction }
  | { kind: "steps"; key: string; events: RunEvent[] }
  | { kind: "ended"; key: string; event: RunEvent };

const ENDS = ["run_failed", "run_cancelled", "run_set_aside"];

/** `shown` are the ids of the questions that are shown where they were put. */
export function blocksOf(events: RunEvent[], shown: ReadonlySet<string>): Block[] {
  const blocks: Block[] = [];
  const step = (event: RunEvent) => {
    const last = blocks.at(-1);
    if (last?.kind === "steps") last.events.push(event);
    else blocks.push({ kind: "steps", key: `steps-${event.seq}`, events: [event] });
  };
  for (const event of events) {
    const key = `${event.type}-${event.seq}`;
    const text = textOf(event);
    if (event.type === "run_started") continue;
    if (event.type === "message_received") {
      blocks.push({ kind: "written", key, text: text ?? "" });
    } else if (event.type === "step_completed") {
      if (text !== undefined) blocks.push({ kind: "said", key, text });
      if (proposedIn(event).length > 0) step(event);
    } else if (event.type === "run_completed") {
      const { output } = event.data;
      const last = blocks.findLast((block) => block.kind === "said");
      if (typeof output === "string" && output !== "" && output !== last?.text) {
        blocks.push({ kind: "said", key, text: output });
      }
    } else if (ENDS.includes(event.type)) {
      blocks.push({ kind: "ended", key, event });
    } else {
      step(event);
      const interaction = event.data.interaction_request as Interaction | undefined;
      if (event.type === "interaction_request" && interaction && shown.has(interaction.id)) {
        blocks.push({ kind: "asked", key, interaction });
      }
    }
  }
  return blocks;
}
