// The events of a run, live, one below the other.

import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Interaction, RunEvent } from "@/api/client";
import { fill, say } from "@/messages";
import { Seen } from "@/ui/seen";
import { EventRow } from "./event-row";
import type { Events } from "./events";
import { lineOf, proposals, settledIn } from "./told";

export type RenderInteraction = (interaction: Interaction) => ReactNode;

type Props = { agent: string; live: Events; renderInteraction: RenderInteraction };

export function Timeline({ agent, live, renderInteraction }: Props) {
  const calls = proposals(live.events);
  const settled = settledIn(live.events);
  const list = useFollowed<HTMLOListElement>(`${live.events.length} ${live.speech.length}`);
  return (
    <ol
      ref={list}
      className="relative space-y-3 before:absolute before:inset-y-3 before:left-[0.4375rem] before:w-px before:bg-line"
    >
      {live.events.map((event) => (
        <EventRow key={event.seq} event={event} line={lineOf(event, agent, calls)}>
          {event.type === "interaction_request" && (
            <Asked event={event} settled={settled} renderInteraction={renderInteraction} />
          )}
        </EventRow>
      ))}
      {live.speech && <Speech agent={agent} text={live.speech} />}
    </ol>
  );
}

type AskedProps = { event: RunEvent; settled: Set<string>; renderInteraction: RenderInteraction };

/** The question itself while it is open. One that was seen open stays, so that nothing vanishes under the pointer. */
function Asked({ event, settled, renderInteraction }: AskedProps) {
  const interaction = event.data.interaction_request as Interaction;
  const open = !settled.has(interaction.id);
  const [seenOpen, setSeenOpen] = useState(false);
  useEffect(() => {
    if (!open) return;
    const timer = setTimeout(() => setSeenOpen(true), 500);
    return () => clearTimeout(timer);
  }, [open]);
  // Nobody is asked: a program reports.
  if (interaction.purpose === "report") return null;
  return open || seenOpen ? <div className="mt-2 mb-1">{renderInteraction(interaction)}</div> : null;
}

/** What the model is saying right now. */
function Speech({ agent, text }: { agent: string; text: string }) {
  return (
    <li data-event="step_delta" className="relative pl-7">
      <span
        aria-hidden="true"
        className="absolute top-[0.7rem] left-[0.1875rem] size-2.5 animate-pulse rounded-full bg-info ring-4 ring-paper"
      />
      <p data-line className="min-h-8 py-1 text-sm font-medium text-soft">
        {fill(say.run.speaking, { agent })}
      </p>
      <p className="text-[0.9375rem] whitespace-pre-wrap wrap-anywhere">
        <Seen text={text} />
      </p>
    </li>
  );
}

/**
 * Keeps the newest in sight for whoever is at the end of the page, and leaves everybody else where they are. Some are taken
 * to the end at the start.
 */
export function useFollowed<Place extends HTMLElement>(change: string, when: "at-end" | "from-start" = "at-end") {
  const place = useRef<Place>(null);
  const atEnd = useRef(when === "from-start");
  useEffect(() => {
    const look = () => {
      atEnd.current = window.innerHeight + window.scrollY > document.documentElement.scrollHeight - 80;
    };
    window.addEventListener("scroll", look, { passive: true });
    return () => window.removeEventListener("scroll", look);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is the change that makes us look
  useEffect(() => {
    if (atEnd.current) place.current?.lastElementChild?.scrollIntoView({ block: "nearest" });
  }, [change]);
  return place;
}
