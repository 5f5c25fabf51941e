// `GET /api/runs`: those of the newest that have not ended. There is no list of them alone.

import { useQuery } from "@tanstack/react-query";
import { get, type Run, read } from "@/api/client";

export type Working = { runs: Run[]; more: boolean };

const UNENDED = ["queued", "running", "waiting"];

export async function fetchWorking(signal?: AbortSignal): Promise<Working> {
  const page = await read(
    get("/runs", { params: { query: { kind: "agent", limit: 200 } }, ...(signal && { signal }) }),
  );
  return { runs: page.items.filter(({ status }) => UNENDED.includes(status)), more: page.next != null };
}

export function useWorking() {
  return useQuery({
    queryKey: ["runs", "working"],
    queryFn: ({ signal }) => fetchWorking(signal),
    refetchInterval: 5000,
  });
}
