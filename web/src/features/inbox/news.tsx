// Says what has come and what is settled: to whoever listens to the page, and to whoever looks elsewhere.

import { useEffect, useRef, useState } from "react";
import type { Interaction } from "@/api/client";
import { many, say } from "@/messages";
import { playChime } from "@/ui/chime";
import { preferences } from "@/ui/preferences";
import type { Waiting } from "./waiting";

export function News({ waiting }: { waiting: Waiting | undefined }) {
  const text = useNews(waiting);
  return (
    <p role="status" data-news className="sr-only">
      {text}
    </p>
  );
}

function useNews(waiting: Waiting | undefined): string {
  const known = useRef<Known>(undefined);
  const [text, setText] = useState("");
  useEffect(() => {
    if (waiting === undefined) return;
    const before = known.current;
    const now = knownOf(waiting);
    known.current = now;
    // What waited when the page was opened is no news.
    if (before === undefined) return;
    // Where more wait than are known, what moves up is not new, and what others pushed back is not settled.
    const isNew = ({ id, created_at }: Interaction) =>
      !before.ids.has(id) && (!before.more || created_at > before.newest);
    const fresh = waiting.items.filter(isNew);
    const settled = now.more ? 0 : [...before.ids].filter((id) => !now.ids.has(id)).length;
    if (fresh.length === 0 && settled === 0) return;
    const parts = [
      ...(fresh.length > 0 ? [many(say.news.title, fresh.length)] : []),
      ...(settled > 0 ? [many(say.news.decided, settled)] : []),
    ];
    setText(`${parts.join(". ")}.`);
    if (fresh.length > 0) makeHeard(fresh);
  }, [waiting]);
  return text;
}

type Known = { ids: Set<string>; newest: string; more: boolean };

function knownOf({ items, more }: Waiting): Known {
  const [newest = ""] = items
    .map(({ created_at }) => created_at)
    .toSorted()
    .slice(-1);
  return { ids: new Set(items.map(({ id }) => id)), newest, more };
}

function makeHeard(fresh: Interaction[]): void {
  const { notify, sound } = preferences();
  if (sound) playChime();
  if (notify && document.visibilityState === "hidden") tell(fresh);
}

/**
 * Only how many: what an agent wants is read on the page, where what hides in it is seen, and not on a screen that is
 * locked or shared.
 */
function tell(fresh: Interaction[]): void {
  if (typeof Notification === "undefined" || Notification.permission !== "granted") return;
  try {
    const told = new Notification(say.app.name, {
      body: many(say.news.title, fresh.length),
      tag: "countersign-inbox",
      icon: "/favicon.svg",
    });
    told.onclick = () => {
      window.focus();
      told.close();
    };
  } catch {
    // Some browsers on phones have the word and refuse the thing.
  }
}
