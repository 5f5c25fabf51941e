// How a call stands.

import { say } from "@/messages";
import { Badge, type Tone } from "@/ui/badge";
import { Name } from "@/ui/seen";

const TONES: Record<string, Tone> = {
  pending: "warn",
  running: "info",
  completed: "calm",
  error: "stop",
  denied: "stop",
  rejected: "stop",
  expired: "warn",
  cancelled: "neutral",
  unknown: "loud",
};

export function StatusBadge({ status }: { status: string }) {
  const words: Record<string, string> = say.audit.statuses;
  return <Badge tone={TONES[status] ?? "neutral"}>{words[status] ?? <Name text={status} />}</Badge>;
}
