// `GET /api/audit`: what happened to each call, the newest runs first, a page at a time.

import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { get, read } from "@/api/client";
import type { Filter } from "./filter";

const PAGE = 50;

/** A filter that lets little through makes pages that are empty and not the last. So many are passed over by itself. */
const PATIENCE = 5;

export function fetchCalls(filter: Filter, after: string | null, signal?: AbortSignal) {
  const query = { limit: PAGE, ...filter, ...(after !== null && { after }) };
  return read(get("/audit", { params: { query }, ...(signal && { signal }) }));
}

export function useCalls(filter: Filter) {
  const query = useInfiniteQuery({
    queryKey: ["audit", "calls", filter],
    queryFn: ({ pageParam, signal }) => fetchCalls(filter, pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next ?? null,
    placeholderData: keepPreviousData,
  });
  const { data, hasNextPage, isFetching, fetchNextPage } = query;
  const pages = data?.pages ?? [];
  const nothing = pages.every((page) => page.items.length === 0);
  const goOn = nothing && hasNextPage && !isFetching && pages.length > 0 && pages.length < PATIENCE;
  useEffect(() => {
    if (goOn) fetchNextPage();
  }, [goOn, fetchNextPage]);
  return query;
}
