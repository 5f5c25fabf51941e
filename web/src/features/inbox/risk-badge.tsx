// How dangerous a call is, in a word.

import { say } from "@/messages";
import { Badge, type Tone } from "@/ui/badge";

const TONES: Record<string, Tone> = { low: "calm", medium: "info", high: "warn", critical: "loud" };

export function RiskBadge({ risk }: { risk: string }) {
  const words: Record<string, string> = say.call.risk;
  // A word that we do not know is no reason to look calm.
  return <Badge tone={TONES[risk] ?? "warn"}>{words[risk] ?? say.call.risk.unknown}</Badge>;
}
