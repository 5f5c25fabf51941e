// `GET /api/interactions`: what waits.

import { useQuery } from "@tanstack/react-query";
import { get, type Interaction, read } from "@/api/client";
import { useLive } from "@/api/inbox";

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

/** How often the inbox is asked for while no stream says what is new in it, or a model is still looking at a call. */
export const POLL = 2000;
/** How often all the same. */
const LOOK = 30_000;

/** How soon to look again at questions of which this much is known. */
export function again(live: boolean, items: Interaction[] | undefined): number {
  const advised = items?.some(({ advice }) => advice?.status === "pending") ?? false;
  return live && !advised ? LOOK : POLL;
}

export function useWaiting() {
  const live = useLive();
  return useQuery({
    queryKey: ["interactions", "open"],
    queryFn: ({ signal }) => fetchWaiting(signal),
    refetchInterval: ({ state }) => again(live, state.data?.items),
  });
}
