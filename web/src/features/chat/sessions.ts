// `GET /api/sessions` and the runs of one: conversations, and what they are made of.

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { get, type Run, read } from "@/api/client";
import { fetchRun } from "@/api/run";

/** How many sessions a page of the list has. */
const SESSIONS = 20;

/** How many runs of a conversation are shown before somebody asks for earlier ones. */
const RUNS = 10;

/** Another browser may go on with a conversation, and nobody tells us. */
const POLL = 5000;

export function useSessions() {
  return useInfiniteQuery({
    queryKey: ["sessions", "list"],
    queryFn: ({ pageParam }) =>
      read(
        get("/sessions", { params: { query: { limit: SESSIONS, ...(pageParam !== null && { after: pageParam }) } } }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    refetchInterval: POLL,
  });
}

/** What a session was last asked. That never changes: a newer question is another run. */
export function useNewest(run: string) {
  return useQuery({
    queryKey: ["sessions", "newest", run],
    queryFn: ({ signal }) => fetchRun(run, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** The runs of a session, the newest first. */
export function useConversation(session: string) {
  return useInfiniteQuery({
    queryKey: ["runs", "session", session],
    queryFn: ({ pageParam }) => fetchRuns(session, pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    refetchInterval: POLL,
  });
}

function fetchRuns(session_id: string, after: string | null) {
  return read(get("/runs", { params: { query: { session_id, limit: RUNS, ...(after !== null && { after }) } } }));
}

/** From the first that was asked to the last. */
export function inOrder(pages: { items: Run[] }[]): Run[] {
  return pages.flatMap(({ items }) => items).toReversed();
}
