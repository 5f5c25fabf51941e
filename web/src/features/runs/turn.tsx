// One run within a conversation: what was asked, what the agent said, each question where it was put, and folded between
// them every step that was made.

import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { Run, RunEvent } from "@/api/client";
import { hasEnded } from "@/api/reach";
import { fill, many, say } from "@/messages";
import { Chevron } from "@/ui/card";
import { Failure, Notice } from "@/ui/notice";
import { Say } from "@/ui/say";
import { Name, Seen } from "@/ui/seen";
import { type Block, blocksOf } from "./blocks";
import { Dot, EventRow, names } from "./event-row";
import { useRunEvents } from "./events";
import { StatusBadge } from "./status-badge";
import { StopRun } from "./stop-run";
import { type RenderInteraction, useFollowed } from "./timeline";
import { lineOf, type Proposed, proposals, settledIn, textOf } from "./told";

export function Turn({ run, renderInteraction }: { run: Run; renderInteraction: RenderInteraction }) {
  const live = useRunEvents(run.id);
  const shown = useShown(live.events);
  const calls = proposals(live.events);
  const place = useFollowed<HTMLElement>(`${live.events.length} ${live.speech.length}`, "from-start");
  useQuestionInSight(place, shown);
  const parts = blocksOf(live.events, shown).map((block) => (
    <Part key={block.key} {...{ block, calls, renderInteraction }} agent={run.agent} />
  ));
  return (
    <article ref={place} data-turn={run.id} data-run-status={run.status} className="space-y-4">
      <h2 className="sr-only">{fill(say.chat.turn, { agent: run.agent })}</h2>
      <Mine text={run.input} />
      {parts}
      {live.speech && (
        <Theirs agent={run.agent}>
          <Seen text={live.speech} />
          <span aria-hidden="true" className="ml-1 inline-block size-2 animate-pulse rounded-full bg-info" />
        </Theirs>
      )}
      {live.problem && <Failure title={say.run.lost} error={live.problem} />}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-xs text-soft">
        <StatusBadge status={run.status} />
        {live.state === "broken" && <span role="status">{say.run.again}</span>}
        <Link to="/runs/$id" params={{ id: run.id }} className="underline decoration-1 underline-offset-4">
          {say.chat.whole}
        </Link>
      </div>
      {!hasEnded(run) && <StopRun run={run} />}
    </article>
  );
}

type PartProps = {
  block: Block;
  agent: string;
  calls: Map<string, Proposed>;
  renderInteraction: RenderInteraction;
};

function Part({ block, agent, calls, renderInteraction }: PartProps): ReactNode {
  switch (block.kind) {
    case "said":
      return (
        <Theirs agent={agent}>
          <Seen text={block.text} />
        </Theirs>
      );
    case "written":
      return <Mine text={block.text} />;
    case "asked":
      return <div data-asked={block.interaction.id}>{renderInteraction(block.interaction)}</div>;
    case "steps":
      return <Steps events={block.events} agent={agent} calls={calls} />;
    case "ended":
      return <Ended event={block.event} agent={agent} calls={calls} />;
  }
}

function Mine({ text }: { text: string }) {
  return (
    <div className="flex justify-end">
      <p
        data-said="user"
        className="max-w-[85%] rounded-2xl rounded-br-md bg-accent-soft px-4 py-2.5 whitespace-pre-wrap wrap-anywhere"
      >
        <span className="sr-only">{say.chat.you} </span>
        <Seen text={text} />
      </p>
    </div>
  );
}

function Theirs({ agent, children }: { agent: string; children: ReactNode }) {
  return (
    <div className="max-w-[92%]">
      <p className="text-xs font-semibold text-soft">
        <Name text={agent} />
      </p>
      <p data-said="agent" className="mt-0.5 whitespace-pre-wrap wrap-anywhere">
        {children}
      </p>
    </div>
  );
}

type StepsProps = { events: RunEvent[]; agent: string; calls: Map<string, Proposed> };

/** What was done: the last of it in a line, and all of it unfolded. */
function Steps({ events, agent, calls }: StepsProps) {
  const [last] = events.slice(-1).map((event) => lineOf(event, agent, calls));
  if (last === undefined) return null;
  return (
    <details data-steps className="group/steps rounded-lg border border-line bg-card">
      <summary className="relative flex min-h-11 items-center gap-3 rounded-lg py-1.5 pr-3 pl-8 text-sm hover:bg-sunk">
        <Dot tone={last.tone} place="in-line" />
        <span className="min-w-0 font-medium wrap-anywhere">
          <Say text={last.text} values={names(last.values)} />
        </span>
        {last.aside && <span className="text-xs whitespace-nowrap text-soft max-sm:hidden">{last.aside}</span>}
        <span className="ml-auto flex shrink-0 items-center gap-2 text-xs text-soft">
          {many(say.chat.steps, events.length)}
          <span className="transition-transform group-open/steps:rotate-90">
            <Chevron />
          </span>
        </span>
      </summary>
      <ol className="relative space-y-3 px-3 pb-4 before:absolute before:inset-y-3 before:left-[1.1875rem] before:w-px before:bg-line">
        {events.map((event) => (
          <EventRow key={event.seq} event={event} line={lineOf(event, agent, calls)} words="above" />
        ))}
      </ol>
    </details>
  );
}

function Ended({ event, agent, calls }: { event: RunEvent; agent: string; calls: Map<string, Proposed> }) {
  const line = lineOf(event, agent, calls);
  const text = textOf(event);
  return (
    <Notice
      tone={line.tone === "stop" ? "stop" : "neutral"}
      title={<Say text={line.text} values={names(line.values)} />}
    >
      {text && (
        <span className="whitespace-pre-wrap wrap-anywhere">
          <Seen text={text} />
        </span>
      )}
    </Notice>
  );
}

/** The questions that are shown: those that are open, and those that were when we looked, so that none vanishes. */
function useShown(events: RunEvent[]): ReadonlySet<string> {
  const settled = settledIn(events);
  const open = events
    .filter(({ type }) => type === "interaction_request")
    .map(({ data }) => String((data.interaction_request as { id?: string } | undefined)?.id))
    .filter((id) => !settled.has(id));
  const [seen, setSeen] = useState<string[]>([]);
  const now = open.join();
  useEffect(() => {
    if (now === "") return;
    const timer = setTimeout(() => setSeen((before) => [...new Set([...before, ...now.split(",")])]), 500);
    return () => clearTimeout(timer);
  }, [now]);
  return new Set([...seen, ...open]);
}

/** A question that comes is shown from its start: nobody should see the answers without what they are about. */
function useQuestionInSight(place: { current: HTMLElement | null }, shown: ReadonlySet<string>) {
  const done = useRef(new Set<string>());
  const [newest] = [...shown].slice(-1);
  useEffect(() => {
    if (newest === undefined || done.current.has(newest)) return;
    done.current.add(newest);
    const card = place.current?.querySelector(`[data-asked="${CSS.escape(newest)}"]`);
    card?.scrollIntoView({ block: "start" });
  }, [newest, place]);
}
