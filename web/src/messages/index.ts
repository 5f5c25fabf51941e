// The catalogue in the reader's language, and how values get into its sentences.

import { en } from "./en";
import { enChat } from "./en-chat";
import { enInbox } from "./en-inbox";
import { enInsights } from "./en-insights";
import { enPolicy } from "./en-policy";
import { enScreens } from "./en-screens";
import { ja } from "./ja";
import { jaChat } from "./ja-chat";
import { jaInbox } from "./ja-inbox";
import { jaInsights } from "./ja-insights";
import { jaPolicy } from "./ja-policy";
import { jaScreens } from "./ja-screens";
import { keepLanguage, type Language, tagOf, wantedLanguage } from "./language";
import type { Messages, Plural } from "./messages";
import { zh } from "./zh";
import { zhChat } from "./zh-chat";
import { zhInbox } from "./zh-inbox";
import { zhInsights } from "./zh-insights";
import { zhPolicy } from "./zh-policy";
import { zhScreens } from "./zh-screens";

export type { Language } from "./language";
export { chosenLanguage, LANGUAGE_NAMES, LANGUAGES } from "./language";
export type { Messages, Plural } from "./messages";

export const catalogues: Record<Language, Messages> = {
  en: { ...en, ...enScreens, ...enChat, ...enInbox, ...enInsights, ...enPolicy },
  zh: { ...zh, ...zhScreens, ...zhChat, ...zhInbox, ...zhInsights, ...zhPolicy },
  ja: { ...ja, ...jaScreens, ...jaChat, ...jaInbox, ...jaInsights, ...jaPolicy },
};

let language = wantedLanguage();
let formats = formatsOf(language);

/** Every word that the page says. Read where it is shown, never kept: the language may change. */
export let say: Messages = catalogues[language];

const listeners = new Set<() => void>();

/** Speaks `chosen` from now on; undefined follows the browser. */
export function speak(chosen: Language | undefined): void {
  keepLanguage(chosen);
  language = chosen ?? wantedLanguage();
  formats = formatsOf(language);
  say = catalogues[language];
  for (const listener of listeners) listener();
}

export function spoken(): Language {
  return language;
}

export function onSpeak(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function formatsOf(spoken: Language) {
  const tag = tagOf(spoken);
  return {
    tag,
    plurals: new Intl.PluralRules(tag),
    digits: new Intl.NumberFormat(tag),
    dateTime: new Intl.DateTimeFormat(tag, { dateStyle: "medium", timeStyle: "medium" }),
    timeOfDay: new Intl.DateTimeFormat(tag, { timeStyle: "medium" }),
    ago: new Intl.RelativeTimeFormat(tag, { numeric: "always", style: "short" }),
  };
}

/** The language for the page's `lang`. */
export function tag(): string {
  return formats.tag;
}

/** `template` with its `{names}` replaced. */
export function fill(template: string, values: Record<string, string | number>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** The form of `plural` for `count`. */
export function many(plural: Plural, count: number): string {
  const form = formats.plurals.select(count) === "one" ? (plural.one ?? plural.other) : plural.other;
  return fill(form, { count: number(count) });
}

/** A number as the reader writes it. */
export function number(value: number): string {
  return formats.digits.format(value);
}

/** A point in time as the reader writes it. */
export function date(time: number): string {
  return formats.dateTime.format(time);
}

/** The same, the time of day alone. */
export function timeOfDay(time: number): string {
  return formats.timeOfDay.format(time);
}

/** How long ago: `3 minutes ago`. */
export function ago(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 10) return say.time.justNow;
  if (seconds < 60) return formats.ago.format(-seconds, "second");
  if (seconds < 3600) return formats.ago.format(-Math.round(seconds / 60), "minute");
  if (seconds < 86_400) return formats.ago.format(-Math.round(seconds / 3600), "hour");
  return formats.ago.format(-Math.round(seconds / 86_400), "day");
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
