// A word on a coloured ground. The colour never says more than the word does.

import type { ReactNode } from "react";

const TONES = {
  neutral: "bg-sunk text-soft",
  calm: "bg-calm-soft text-calm",
  info: "bg-info-soft text-info",
  warn: "bg-warn-soft text-warn",
  stop: "bg-stop-soft text-stop",
  loud: "bg-stop text-card",
};

export type Tone = keyof typeof TONES;

export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span
      className={`inline-flex items-center gap-1.5 rounded-full px-2.5 py-0.5 text-xs font-semibold whitespace-nowrap ${TONES[tone]}`}
    >
      {children}
    </span>
  );
}
