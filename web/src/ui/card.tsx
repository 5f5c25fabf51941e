// A sheet of paper, and parts with a heading on it.

import type { ReactNode } from "react";

export function Card({ children, className = "" }: { children: ReactNode; className?: string }) {
  return <div className={`rounded-xl border border-line bg-card shadow-card ${className}`}>{children}</div>;
}

export function Part({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className="space-y-2.5">
      <div className="flex flex-wrap items-baseline justify-between gap-x-3">
        <h3 className="text-[0.8125rem] font-semibold text-soft">{title}</h3>
        {aside && <div className="text-xs text-soft">{aside}</div>}
      </div>
      {children}
    </section>
  );
}

/** Named values. */
export function Facts({ facts }: { facts: [name: string, value: ReactNode][] }) {
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-5 gap-y-1.5 text-sm">
      {facts.map(([name, value]) => (
        <div key={name} className="col-span-2 grid grid-cols-subgrid">
          <dt className="text-soft">{name}</dt>
          <dd className="min-w-0 wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

type FoldProps = {
  summary: ReactNode;
  /** Whether it stands beside the matter: nobody has to have read it to decide. */
  beside?: true;
  children: ReactNode;
};

/** A line that unfolds. */
export function Fold({ summary, beside, children }: FoldProps) {
  return (
    <details className="group" data-beside={beside}>
      <summary className="inline-flex min-h-8 items-center gap-1.5 rounded text-sm text-soft hover:text-ink">
        <Chevron />
        {summary}
      </summary>
      <div className="mt-2">{children}</div>
    </details>
  );
}

export function Chevron() {
  return (
    <svg aria-hidden="true" viewBox="0 0 12 12" className="size-3 shrink-0 transition-transform group-open:rotate-90">
      <path
        d="M4 2.5 8 6 4 9.5"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.7"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
