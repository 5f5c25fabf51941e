// `GET /api/runs/{id}/events`, as a stream: what happened so far, and what happens.

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Problem, RunEvent } from "@/api/client";
import { type Following, follow } from "@/api/follow";
import { staleAfter } from "@/api/stale";

export type Events = {
  events: RunEvent[];
  /** What the model is saying right now, before its step is stored. */
  speech: string;
  state: Following;
  problem?: Problem;
};

/** How long events are gathered before they are shown: a long run arrives in a burst. */
const GATHER = 40;

export function useRunEvents(id: string): Events {
  const queries = useQueryClient();
  const [shown, setShown] = useState<Events>({ events: [], speech: "", state: "connecting" });
  useEffect(() => {
    const stop = new AbortController();
    let latest: Events = { events: [], speech: "", state: "connecting" };
    let timer: ReturnType<typeof setTimeout> | undefined;
    let stale = new Map<string, readonly unknown[]>();
    const change = (next: Partial<Events>) => {
      latest = { ...latest, ...next };
      timer ??= setTimeout(show, GATHER);
    };
    const show = () => {
      timer = undefined;
      setShown(latest);
      for (const queryKey of stale.values()) queries.invalidateQueries({ queryKey });
      stale = new Map();
    };
    let events: RunEvent[] = [];
    change({});
    follow(
      id,
      {
        onEvent: (event) => {
          for (const key of staleAfter(event)) stale.set(key.join(), key);
          if (event.type === "step_delta") {
            change({ speech: latest.speech + String(event.data.text ?? "") });
          } else {
            events = [...events, event];
            change({ events, speech: event.type === "step_completed" ? "" : latest.speech });
          }
        },
        // What was half said when the connection broke is said again, whole, once its step is stored.
        onState: (state) => change(state === "broken" ? { state, speech: "" } : { state }),
        onProblem: (problem) => change({ problem }),
      },
      stop.signal,
    );
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [id, queries]);
  return shown;
}
