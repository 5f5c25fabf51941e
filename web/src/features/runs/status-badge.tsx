// Where a run stands.

import { say } from "@/messages";
import { Badge, type Tone } from "@/ui/badge";

const TONES: Record<string, Tone> = {
  running: "info",
  waiting: "warn",
  completed: "calm",
  failed: "stop",
  cancelled: "neutral",
  set_aside: "loud",
};

export function StatusBadge({ status }: { status: string }) {
  const words: Record<string, string> = say.runs.status;
  return (
    <Badge tone={TONES[status] ?? "neutral"}>
      {(status === "running" || status === "queued") && (
        <span aria-hidden="true" className="size-1.5 animate-pulse rounded-full bg-current" />
      )}
      {words[status] ?? status}
    </Badge>
  );
}

/** No model speaks for this agent. */
export function ScriptBadge() {
  return <Aside title={say.runs.scriptText}>{say.runs.script}</Aside>;
}

/** It is one call that a program outside makes. */
export function CallBadge() {
  return <Aside title={say.outside.kindText}>{say.outside.kind}</Aside>;
}

function Aside({ title, children }: { title: string; children: string }) {
  return (
    <span
      title={title}
      className="inline-flex rounded-full border border-dashed border-line-strong px-2 py-px text-xs font-medium whitespace-nowrap text-soft"
    >
      {children}
    </span>
  );
}
