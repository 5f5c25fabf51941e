// `GET /api/interactions`: what waits.

import { useQuery } from "@tanstack/react-query";
import { get, type Interaction, read } from "@/api/client";

export type Waiting = { items: Interaction[]; more: boolean };

export async function fetchWaiting(signal?: AbortSignal): Promise<Waiting> {
  const query = { status: "open", limit: 200 };
  const page = await read(get("/interactions", { params: { query }, ...(signal && { signal }) }));
  return { items: page.items.toSorted(byDeadline), more: page.next != null };
}

/** Whichever ends first is looked at first. */
function byDeadline(a: Interaction, b: Interaction): number {
  return Date.parse(a.expires_at) - Date.parse(b.expires_at) || a.id.localeCompare(b.id);
}

/** There is no stream of the whole inbox yet, so it is asked for every two seconds. A run that is followed says sooner. */
export const POLL = 2000;

export function useWaiting() {
  return useQuery({
    queryKey: ["interactions", "open"],
    queryFn: ({ signal }) => fetchWaiting(signal),
    refetchInterval: POLL,
  });
}
