// `GET /api/runs`: the newest first, a page at a time.

import { useInfiniteQuery } from "@tanstack/react-query";
import { get, read } from "@/api/client";

export function fetchRuns(after: string | null) {
  return read(get("/runs", { params: { query: { limit: 30, ...(after !== null && { after }) } } }));
}

export function useRuns() {
  return useInfiniteQuery({
    queryKey: ["runs", "list"],
    queryFn: ({ pageParam }) => fetchRuns(pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    // There is no stream of all runs yet.
    refetchInterval: 3000,
  });
}
