// `GET /api/interactions`: what waits.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { get, type Interaction, read } from "@/api/client";
import { useLive } from "@/api/inbox";

export type Waiting = { items: Interaction[]; more: boolean };

/** Those that end first, up to a page of them; with `search` only those in which its words occur, wherever they stand. */
export async function fetchWaiting(search = "", signal?: AbortSignal): Promise<Waiting> {
  const query = { status: "open", limit: 200, ...(search !== "" && { search }) };
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
    queryFn: ({ signal }) => fetchWaiting("", signal),
    refetchInterval: ({ state }) => again(live, state.data?.items),
  });
}

/** The most words that the server looks for. */
const MOST_WORDS = 20;

/** What has these words in it, also behind the page that is known. Nothing is asked where all is known anyway. */
export function useFound(words: string, all: Waiting | undefined): Waiting | undefined {
  const search = words.trim().split(/\s+/).slice(0, MOST_WORDS).join(" ");
  const { data } = useQuery({
    queryKey: ["interactions", "found", search],
    queryFn: ({ signal }) => fetchWaiting(search, signal),
    enabled: search !== "" && all?.more === true,
    placeholderData: keepPreviousData,
    gcTime: 10_000,
  });
  return search === "" || all?.more !== true ? all : data && merged(all, data);
}

/** What is known already is there at once; what the server finds comes to it. */
function merged(all: Waiting, found: Waiting): Waiting {
  const known = new Set(all.items.map(({ id }) => id));
  return {
    items: [...all.items, ...found.items.filter(({ id }) => !known.has(id))].toSorted(byDeadline),
    more: found.more,
  };
}
