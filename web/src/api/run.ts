// `GET /api/runs/{id}`: one run. Its events say when to look again.

import { useQuery } from "@tanstack/react-query";
import { get, read } from "./client";

export function fetchRun(id: string, signal?: AbortSignal) {
  return read(get("/runs/{id}", { params: { path: { id } }, ...(signal && { signal }) }));
}

export function useRun(id: string) {
  return useQuery({ queryKey: ["runs", id], queryFn: ({ signal }) => fetchRun(id, signal) });
}
