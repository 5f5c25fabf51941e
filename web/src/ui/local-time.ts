// Between the server's times and fields for date and time, which speak of the reader's own.

/** What the server reads, or undefined where it is no time. */
export function toServer(local: string): string | undefined {
  const time = Date.parse(local);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

/** What a field shows: `2026-01-31T14:05`. */
export function toField(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return "";
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
