// The catalogue in the reader's language, and how values get into its sentences.

import { en } from "./en";

export type Messages = typeof en;

/** A message with a form for each plural. */
export type Plural = { one: string; other: string };

// Add a language here; its file has the type `Messages`.
const languages: Record<string, Messages> = { en };

const language = navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => tag in languages) ?? "en";

export const say: Messages = languages[language] ?? en;

/** `template` with its `{names}` replaced. */
export function fill(template: string, values: Record<string, string | number>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

const rules = new Intl.PluralRules(language);
const digits = new Intl.NumberFormat(language);

/** The form of `plural` for `count`. */
export function many(plural: Plural, count: number): string {
  const form = rules.select(count) === "one" ? plural.one : plural.other;
  return fill(form, { count: number(count) });
}

/** A number as the reader writes it. */
export function number(value: number): string {
  return digits.format(value);
}

/** A point in time as the reader writes it. */
export function date(time: number): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" }).format(time);
}

/** The same, the time of day alone. */
export function timeOfDay(time: number): string {
  return new Intl.DateTimeFormat(language, { timeStyle: "medium" }).format(time);
}

/** How long ago: `3 minutes ago`. */
export function ago(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 10) return say.time.justNow;
  const relative = new Intl.RelativeTimeFormat(language, { numeric: "always", style: "short" });
  if (seconds < 60) return relative.format(-seconds, "second");
  if (seconds < 3600) return relative.format(-Math.round(seconds / 60), "minute");
  if (seconds < 86_400) return relative.format(-Math.round(seconds / 3600), "hour");
  return relative.format(-Math.round(seconds / 86_400), "day");
}

/** How long: `4 min 10 s`. Never rounded up: nobody is promised time that there is not. */
export function span(milliseconds: number): string {
  if (milliseconds < 1000) return fill(say.time.ms, { count: Math.max(0, Math.floor(milliseconds)) });
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 60) return fill(say.time.s, { count: seconds });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return fill(say.time.minS, { min: minutes, s: seconds % 60 });
  if (minutes < 60) return fill(say.time.min, { count: minutes });
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return fill(say.time.hMin, { h: hours, min: minutes % 60 });
  return many(say.time.d, Math.floor(hours / 24));
}
