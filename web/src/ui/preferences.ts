// What somebody prefers in this browser, kept in its storage.

import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";

export const THEMES: Theme[] = ["system", "light", "dark"];

export type Preferences = {
  theme: Theme;
  /** Whether the browser tells of new questions while the page is out of sight. */
  notify: boolean;
  /** Whether new questions make a sound. */
  sound: boolean;
};

const KEPT = "countersign.preferences";
const DEFAULTS: Preferences = { theme: "system", notify: false, sound: false };

let current = kept();
const listeners = new Set<() => void>();

export function preferences(): Preferences {
  return current;
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(onChange, preferences);
}

export function prefer(change: Partial<Preferences>): void {
  current = { ...current, ...change };
  try {
    window.localStorage.setItem(KEPT, JSON.stringify(current));
  } catch {
    // A browser that keeps nothing still does as it is told, until the page is closed.
  }
  applyTheme();
  for (const listener of listeners) listener();
}

function onChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Reads what was kept, whoever wrote it: what is not known is as if it had not been said. */
function kept(): Preferences {
  try {
    const found: Partial<Preferences> = JSON.parse(window.localStorage.getItem(KEPT) ?? "{}");
    return {
      theme: THEMES.find((theme) => theme === found.theme) ?? DEFAULTS.theme,
      notify: found.notify === true,
      sound: found.sound === true,
    };
  } catch {
    return DEFAULTS;
  }
}

/** Shows the page in the colours that were chosen; the style sheet and the browser's own frame follow. */
export function applyTheme(): void {
  const { theme } = current;
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  for (const meta of document.querySelectorAll<HTMLMetaElement>("meta[name=theme-color][data-for]")) {
    const is = meta.dataset.for;
    meta.media = theme === "system" ? `(prefers-color-scheme: ${is})` : theme === is ? "all" : "not all";
  }
}
