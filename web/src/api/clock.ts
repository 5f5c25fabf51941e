// The server's time. Deadlines are its own, and this machine's clock may be wrong.

let ahead = 0;

/** Learns from the `Date` that the server put on an answer. It counts whole seconds, so small differences mean nothing. */
export function setClock(header: string | null): void {
  const time = header === null ? Number.NaN : Date.parse(header);
  if (Number.isNaN(time)) return;
  const difference = time + 500 - Date.now();
  ahead = Math.abs(difference) > 3000 ? difference : 0;
}

/** Now, as the server sees it. */
export function now(): number {
  return Date.now() + ahead;
}
