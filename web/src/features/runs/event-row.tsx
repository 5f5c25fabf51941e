// One event: a line that unfolds to its JSON, and below it what belongs to it.

import type { ReactNode } from "react";
import type { RunEvent } from "@/api/client";
import { say } from "@/messages";
import { Chevron } from "@/ui/card";
import { Json } from "@/ui/code";
import { Say } from "@/ui/say";
import { Name, Seen, Sentence } from "@/ui/seen";
import { At } from "@/ui/time";
import { Output } from "./output";
import { decidingReason, type Line, outputOf, type Proposed, proposedIn, type Tone, textOf } from "./told";

type Props = {
  event: RunEvent;
  line: Line;
  /** Where what the agent said stands: here, or already above. */
  words?: "here" | "above";
  children?: ReactNode;
};

export function EventRow({ event, line, words = "here", children }: Props) {
  const text = words === "above" && event.type === "step_completed" ? undefined : textOf(event);
  const output = outputOf(event);
  const reason = decidingReason(event);
  const proposed = proposedIn(event);
  return (
    <li data-event={event.type} data-seq={event.seq} className="relative scroll-mt-20 pl-7">
      <Dot tone={line.tone} />
      <details className="group">
        <summary className="-mx-1 flex min-h-8 items-center gap-2 rounded px-1 text-sm hover:bg-sunk">
          <span data-line className="min-w-0 font-medium wrap-anywhere">
            <Say text={line.text} values={names(line.values)} />
          </span>
          {line.aside && <span className="text-xs whitespace-nowrap text-soft">{line.aside}</span>}
          <span className="ml-auto flex shrink-0 items-center gap-2 text-xs text-soft">
            {event.at != null && <At at={event.at} />}
            <Chevron />
          </span>
        </summary>
        <div className="mt-1 mb-3">
          <Json value={event} label={say.run.json} />
        </div>
      </details>
      {reason && (
        <p className="text-sm text-soft wrap-anywhere">
          <Sentence text={reason} />
        </p>
      )}
      {text && (
        <p className="mt-0.5 text-[0.9375rem] whitespace-pre-wrap wrap-anywhere">
          <Seen text={text} />
        </p>
      )}
      {proposed.length > 0 && <Proposals calls={proposed} />}
      {output && <Output text={output} />}
      {children}
    </li>
  );
}

/** The values of a line, each kept from mixing with the text around it. */
export function names(values: Record<string, string>): Record<string, ReactNode> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, <Name key={key} text={value} />]));
}

function Proposals({ calls }: { calls: Proposed[] }) {
  return (
    <ul className="mt-1.5 space-y-1">
      {calls.map((call) => (
        <li key={call.id} className="truncate rounded-md bg-sunk px-2.5 py-1.5 font-mono text-[0.8125rem]" dir="ltr">
          <span className="font-semibold">
            <Name text={call.name} />
          </span>{" "}
          <span className="text-soft">
            <Seen text={call.brief.slice(0, 300)} strictness="exact" />
          </span>
        </li>
      ))}
    </ul>
  );
}

const COLOURS: Record<Tone, string> = {
  plain: "bg-line-strong",
  calm: "bg-go",
  info: "bg-info",
  warn: "bg-warn",
  stop: "bg-stop",
};

export function Dot({ tone, place = "on-thread" }: { tone: Tone; place?: "on-thread" | "in-line" }) {
  const where = { "on-thread": "top-[0.7rem] left-[0.1875rem] ring-4 ring-paper", "in-line": "left-3" };
  return <span aria-hidden="true" className={`absolute size-2.5 rounded-full ${where[place]} ${COLOURS[tone]}`} />;
}
