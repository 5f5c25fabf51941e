// Follows the events of a run to its end: after a break it takes up after the last one it saw, so that nothing is missed
// and nothing comes twice.
//
// Not an `EventSource`: that one cannot be told to wait longer each time, hides why it was refused, and asks again for a
// stream that has ended.

import { Problem, type RunEvent } from "./client";
import { messages } from "./sse";

export type Following = "connecting" | "live" | "broken" | "over";

type Listener = {
  onEvent: (event: RunEvent) => void;
  onState: (state: Following) => void;
  /** It was refused for good. */
  onProblem: (problem: Problem) => void;
};

const LAST = ["run_completed", "run_failed", "run_cancelled", "run_set_aside"];
const SHORTEST = 500;
const LONGEST = 10_000;

/** Follows run `id` until it ends or `signal` says so. */
export async function follow(id: string, listener: Listener, signal: AbortSignal): Promise<void> {
  let seen = 0;
  let pause = SHORTEST;
  listener.onState("connecting");
  while (!signal.aborted) {
    try {
      for await (const event of connect(id, seen, signal, () => listener.onState("live"))) {
        pause = SHORTEST;
        if (event.seq != null) {
          if (event.seq <= seen) continue;
          seen = event.seq;
        }
        listener.onEvent(event);
        if (LAST.includes(event.type)) {
          listener.onState("over");
          return;
        }
      }
    } catch (cause) {
      if (signal.aborted) return;
      if (cause instanceof Problem && cause.status >= 400 && cause.status < 500) {
        listener.onProblem(cause);
        return;
      }
    }
    if (signal.aborted) return;
    listener.onState("broken");
    await sleep(pause, signal);
    pause = Math.min(pause * 2, LONGEST);
  }
}

async function* connect(id: string, seen: number, signal: AbortSignal, onOpen: () => void): AsyncGenerator<RunEvent> {
  const headers: Record<string, string> = { accept: "text/event-stream" };
  if (seen > 0) headers["last-event-id"] = String(seen);
  const response = await fetch(`/api/runs/${encodeURIComponent(id)}/events`, { headers, signal, cache: "no-store" });
  if (!response.ok || response.body === null) {
    throw Problem.from(response.status, await response.json().catch(() => undefined));
  }
  onOpen();
  for await (const message of messages(response.body)) {
    yield JSON.parse(message) as RunEvent;
  }
}

/** Sleeps, and wakes early where the network comes back or the page is looked at again. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((wake) => {
    const stop = new AbortController();
    const done = () => {
      stop.abort();
      clearTimeout(timer);
      wake();
    };
    const timer = setTimeout(done, milliseconds);
    const options = { signal: stop.signal };
    signal.addEventListener("abort", done, options);
    window.addEventListener("online", done, options);
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && done(), options);
  });
}
