// How long there is still time to answer.

import type { Interaction } from "@/api/client";
import { fill, say, span } from "@/messages";
import { useNow } from "@/ui/time";

export function Countdown({ interaction }: { interaction: Interaction }) {
  const left = useLeft(interaction);
  if (left <= 0) return <span className="font-medium text-stop">{say.answer.ended}</span>;
  return (
    <span role="timer" aria-label={say.answer.leftLabel} className={`whitespace-nowrap tabular-nums ${colour(left)}`}>
      {fill(say.answer.left, { time: span(left) })}
    </span>
  );
}

/** The same as a line that gets shorter. */
export function TimeLine({ interaction }: { interaction: Interaction }) {
  const left = useLeft(interaction);
  const whole = Date.parse(interaction.expires_at) - Date.parse(interaction.created_at);
  const share = Math.min(1, Math.max(0, left / Math.max(1, whole)));
  return (
    <div aria-hidden="true" className={`h-0.5 overflow-hidden bg-line ${colour(left)}`}>
      <div
        className="h-full origin-left bg-current transition-transform duration-1000 ease-linear"
        style={{ transform: `scaleX(${share})` }}
      />
    </div>
  );
}

function useLeft(interaction: Interaction): number {
  return Date.parse(interaction.expires_at) - useNow(1000);
}

function colour(left: number): string {
  if (left < 60_000) return "font-semibold text-stop";
  return left < 300_000 ? "font-medium text-warn" : "text-soft";
}
