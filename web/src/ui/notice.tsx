// What the page says instead of content, or about it.

import type { ReactNode } from "react";
import { Problem } from "@/api/client";
import { say } from "@/messages";
import { Button } from "./button";
import { Sentence } from "./seen";

const TONES = {
  stop: "border-stop-line bg-stop-soft text-stop",
  warn: "border-warn-line bg-warn-soft text-warn",
  calm: "border-transparent bg-calm-soft text-calm",
  neutral: "border-line bg-sunk text-ink",
};

type Props = { tone: keyof typeof TONES; title: ReactNode; children?: ReactNode };

export function Notice({ tone, title, children }: Props) {
  return (
    <div role={tone === "stop" ? "alert" : "status"} className={`rounded-lg border px-4 py-3 text-sm ${TONES[tone]}`}>
      <p className="font-semibold">{title}</p>
      {children && <div className="mt-0.5 text-ink">{children}</div>}
    </div>
  );
}

/** Something could not be read or done. */
export function Failure({ title, error, onRetry }: { title: string; error: unknown; onRetry?: () => void }) {
  const detail = error instanceof Problem ? error.message : say.problem.title;
  return (
    <Notice tone="stop" title={title}>
      <p className="first-letter:uppercase">
        <Sentence text={detail} />
      </p>
      {onRetry && (
        <Button className="mt-3" onClick={onRetry}>
          {say.app.tryAgain}
        </Button>
      )}
    </Notice>
  );
}

type EmptyProps = { title: string; children?: ReactNode; heading?: "h1" | "h2" };

/** There is nothing, and that is fine. */
export function Empty({ title, children, heading: Heading = "h2" }: EmptyProps) {
  return (
    <div className="mx-auto max-w-sm px-6 py-14 text-center">
      <Heading className="font-semibold">{title}</Heading>
      {children && <div className="mt-1.5 text-sm text-balance text-soft">{children}</div>}
    </div>
  );
}

/** Holds the place of something that is being read. Said out loud only if it lasts. */
export function Loading({ rows = 3 }: { rows?: number }) {
  return (
    <div role="status" aria-label={say.app.loading} className="space-y-3">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: all rows are alike
        <div key={row} className="h-16 animate-pulse rounded-lg bg-sunk" style={{ opacity: 1 - row * 0.25 }} />
      ))}
    </div>
  );
}
