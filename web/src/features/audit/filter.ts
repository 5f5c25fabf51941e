// Which calls are shown. It stands in the address, so that it can be kept and sent to somebody.

export type Filter = {
  user_id?: string;
  agent?: string;
  tool?: string;
  status?: string;
  since?: string;
  until?: string;
};

export const STATUSES = [
  "pending",
  "running",
  "completed",
  "error",
  "denied",
  "rejected",
  "expired",
  "cancelled",
  "unknown",
] as const;

const NAMES = ["user_id", "agent", "tool", "status", "since", "until"] as const;

/** The filter in an address, whoever wrote it: what is not ours is left out. */
export function filterOf(search: Record<string, unknown>): Filter {
  const found: Filter = {};
  for (const name of NAMES) {
    const value = search[name];
    const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
    if (typeof text === "string" && text.trim() !== "") found[name] = text.trim();
  }
  return found;
}

export function isEmpty(filter: Filter): boolean {
  return Object.keys(filter).length === 0;
}

/** Where the same calls are to be had as a file. */
export function exportAddress(filter: Filter, format: "csv" | "json" | "jsonl"): string {
  return `/api/audit/export?${new URLSearchParams({ format, ...filter })}`;
}
