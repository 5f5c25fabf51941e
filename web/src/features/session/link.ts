// The secret of a one-time link. It stands in the fragment of the address, which browsers send to nobody, and it is taken
// out at once so that it stays in no history.

export function takeLink(): string | undefined {
  const secret = window.location.hash.slice(1);
  if (!secret.startsWith("cs_link_")) return undefined;
  window.history.replaceState(window.history.state, "", window.location.pathname + window.location.search);
  return secret;
}
