// Says what has come and what is settled: to whoever listens to the page, and to whoever looks elsewhere.

import { useEffect, useRef, useState } from "react";
import type { Interaction } from "@/api/client";
import { many, say } from "@/messages";
import { playChime } from "@/ui/chime";
import { preferences } from "@/ui/preferences";

export function News({ waiting }: { waiting: Interaction[] | undefined }) {
  const text = useNews(waiting);
  return (
    <p role="status" data-news className="sr-only">
      {text}
    </p>
  );
}

function useNews(waiting: Interaction[] | undefined): string {
  const known = useRef<Set<string>>(undefined);
  const [text, setText] = useState("");
  useEffect(() => {
    if (waiting === undefined) return;
    const ids = new Set(waiting.map(({ id }) => id));
    const before = known.current;
    known.current = ids;
    // What waited when the page was opened is no news.
    if (before === undefined) return;
    const fresh = waiting.filter(({ id }) => !before.has(id));
    const settled = [...before].filter((id) => !ids.has(id)).length;
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
