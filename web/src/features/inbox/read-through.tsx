// A dangerous call is approved only once all of it has been on screen: to its end, each block that scrolls to its own end,
// and whatever is folded once opened.

import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import type { Interaction } from "@/api/client";
import { fill, say } from "@/messages";

export type Reading = {
  /** Whether it is a call that has to be seen. */
  must: boolean;
  /** Whether it was, where it has to be. */
  shown: boolean;
  /** Brings the first part that has not been seen into sight. */
  showRest: () => void;
};

/** The id of what says why approving is not open yet. */
export const UNSEEN = "unseen";

/** How much of a line may be missing at the end: browsers round. */
const SLACK = 4;

/** What is known not to be dangerous is not held back; a word that we do not know is. */
function mustBeRead({ purpose, status, call }: Interaction): boolean {
  return purpose === "approval" && status === "open" && !["low", "medium"].includes(call.risk);
}

/** `whole` says whether all that there is to read has come. */
export function useReadThrough(
  interaction: Interaction,
  card: RefObject<HTMLElement | null>,
  whole: "whole" | "partly",
): Reading {
  const must = mustBeRead(interaction);
  const [shown, setShown] = useState(!must);
  const seen = useRef(new WeakSet<Element>());
  useEffect(() => {
    if (!must || shown || whole === "partly") return;
    const look = () => {
      if (card.current === null) return;
      for (const part of partsOf(card.current)) if (isSeen(part, card.current)) seen.current.add(part);
      if (unseenIn(card.current, seen.current).length === 0) setShown(true);
    };
    look();
    // Also of blocks inside, whose scrolling does not rise, and of what is folded.
    const options = { capture: true, passive: true };
    document.addEventListener("scroll", look, options);
    document.addEventListener("toggle", look, options);
    window.addEventListener("resize", look);
    // What has no event of its own: letters that arrive late, a picture of a change that is drawn later.
    const timer = setInterval(look, 500);
    return () => {
      document.removeEventListener("scroll", look, options);
      document.removeEventListener("toggle", look, options);
      window.removeEventListener("resize", look);
      clearInterval(timer);
    };
  }, [must, shown, card, whole]);
  const showRest = useCallback(() => {
    const [next] = card.current === null ? [] : unseenIn(card.current, seen.current);
    if (next instanceof HTMLDetailsElement) next.open = true;
    else if (next instanceof HTMLElement && next.matches("[data-end]")) {
      // Above the answers: they may take more than half of a small screen, and lie over it.
      const covered = card.current?.querySelector("footer")?.clientHeight ?? 0;
      next.style.scrollMarginBottom = `${covered + 2 * SLACK}px`;
      next.scrollIntoView({ block: "end" });
    } else if (next) {
      next.scrollIntoView({ block: "center" });
      next.scrollBy({ top: next.clientHeight * 0.85, left: next.scrollWidth });
    }
  }, [card]);
  return { must, shown: shown || !must, showRest };
}

/** What of `card` must have been seen, from top to bottom. */
function partsOf(card: HTMLElement): Element[] {
  const parts = [...card.querySelectorAll("details:not([data-beside]), section[tabindex], [data-end]")];
  return parts.filter((part) => part.closest("footer") === null && part.closest("[data-beside]") === null);
}

/** What of it has not been seen. To look for it is not to see it: `seen` stays as it is. */
function unseenIn(card: HTMLElement, seen: WeakSet<Element>): Element[] {
  return partsOf(card).filter((part) => !seen.has(part) && !isSeen(part, card));
}

function isSeen(part: Element, card: HTMLElement): boolean {
  if (part instanceof HTMLDetailsElement) return part.open;
  if (part.matches("[data-end]")) {
    // The answers may lie over the end while they are kept in sight.
    const covered = card.querySelector("footer")?.getBoundingClientRect();
    const bottom = Math.min(window.innerHeight, covered?.top ?? window.innerHeight);
    return part.getBoundingClientRect().top <= bottom + SLACK;
  }
  return part.scrollTop + part.clientHeight >= part.scrollHeight - SLACK;
}

/**
 * Says why approving is not open yet, and leads on; then that it is. Both have the same place: somebody who scrolls to the
 * end aims at an answer just then, and it must not move.
 */
export function Unseen({ interaction, reading }: { interaction: Interaction; reading: Reading }) {
  if (!reading.must) return null;
  const risks: Record<string, string> = say.call.risk;
  const risk = risks[interaction.call.risk] ?? say.call.risk.unknown;
  return (
    <div className="grid items-center text-sm *:col-start-1 *:row-start-1">
      <p id={UNSEEN} className={`flex flex-wrap items-center gap-x-3 text-warn ${reading.shown ? "invisible" : ""}`}>
        {fill(say.news.unseen, { risk })}
        <button type="button" className="min-h-8 font-medium underline underline-offset-4" onClick={reading.showRest}>
          {say.news.showRest}
        </button>
      </p>
      <p className={`text-soft ${reading.shown ? "" : "invisible"}`}>{say.news.seen}</p>
    </div>
  );
}
