// `GET /api/audit`: the calls of the last days, page by page up to a bound.

import { useQuery } from "@tanstack/react-query";
import { type AuditedCall, get, read } from "@/api/client";
import { now } from "@/api/clock";
import { DAYS } from "./figures";

/** At most so many pages of so many calls are read. */
const PAGES = 10;
const PAGE = 200;

export type Looked = { calls: AuditedCall[]; more: boolean };

export async function fetchLately(signal?: AbortSignal): Promise<Looked> {
  const since = new Date(now() - DAYS * 86_400_000).toISOString();
  const calls: AuditedCall[] = [];
  let after: string | null = null;
  for (let page = 0; page < PAGES; page += 1) {
    const query = { limit: PAGE, since, ...(after !== null && { after }) };
    const found: { items: AuditedCall[]; next?: string | null } = await read(
      get("/audit", { params: { query }, ...(signal && { signal }) }),
    );
    calls.push(...found.items);
    after = found.next ?? null;
    if (after === null) return { calls, more: false };
  }
  return { calls, more: true };
}

export function useLately() {
  return useQuery({ queryKey: ["audit", "lately"], queryFn: ({ signal }) => fetchLately(signal), staleTime: 30_000 });
}
