// The stream of the inbox: says when what is known of it is stale, and whether one can go by that. It carries news, not
// data: whatever was missed while it was broken is fetched when it is there again.
//
// A page that nobody looks at has none: a browser opens few connections to one server, and the last page opened is the one
// that needs them. While there is none, the page asks from time to time.

import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { Problem, type RunEvent } from "./client";
import { sleep } from "./follow";
import { messages } from "./sse";
import { staleAfter } from "./stale";

const SHORTEST = 500;
const LONGEST = 10_000;
/** How long news are gathered before anything is fetched. */
const GATHER = 40;

let live = false;
const listeners = new Set<() => void>();

function setLive(now: boolean): void {
  if (live === now) return;
  live = now;
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether the stream says what is new. */
export function useLive(): boolean {
  return useSyncExternalStore(listen, () => live);
}

/** Follows the inbox for as long as the page is looked at. */
export function useInboxStream(): void {
  const queries = useQueryClient();
  useEffect(() => {
    let stop: AbortController | undefined;
    const look = () => {
      const visible = document.visibilityState === "visible";
      if (visible && stop === undefined) {
        stop = new AbortController();
        followInbox(queries, stop.signal);
      } else if (!visible) {
        stop?.abort();
        stop = undefined;
      }
    };
    look();
    document.addEventListener("visibilitychange", look);
    return () => {
      document.removeEventListener("visibilitychange", look);
      stop?.abort();
    };
  }, [queries]);
}

async function followInbox(queries: QueryClient, signal: AbortSignal): Promise<void> {
  let pause = SHORTEST;
  signal.addEventListener("abort", () => setLive(false));
  while (!signal.aborted) {
    try {
      for await (const stale of connect(signal)) {
        pause = SHORTEST;
        setLive(true);
        gather(queries, stale);
      }
    } catch (cause) {
      // Whoever is signed out is told so by the next thing that is fetched.
      if (cause instanceof Problem && cause.status >= 400 && cause.status < 500) pause = LONGEST;
    }
    if (signal.aborted) return;
    setLive(false);
    await sleep(pause, signal);
    pause = Math.min(pause * 2, LONGEST);
  }
}

/** What each event makes stale. At the beginning that is all there is. */
async function* connect(signal: AbortSignal): AsyncGenerator<readonly (readonly unknown[])[]> {
  const headers = { accept: "text/event-stream" };
  const response = await fetch("/api/interactions/stream", { headers, signal, cache: "no-store" });
  if (!response.ok || response.body === null) {
    throw Problem.from(response.status, await response.json().catch(() => undefined));
  }
  for await (const message of messages(response.body)) {
    const event = JSON.parse(message) as RunEvent | { type: "ready" };
    yield event.type === "ready" ? [["interactions"]] : staleAfter(event as RunEvent);
  }
}

let stale = new Map<string, readonly unknown[]>();
let timer: ReturnType<typeof setTimeout> | undefined;

function gather(queries: QueryClient, keys: readonly (readonly unknown[])[]): void {
  for (const key of keys) stale.set(key.join(), key);
  if (timer !== undefined) return;
  timer = setTimeout(() => {
    const all = stale;
    timer = undefined;
    stale = new Map();
    for (const queryKey of all.values()) queries.invalidateQueries({ queryKey });
  }, GATHER);
}
