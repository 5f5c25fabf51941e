// Which languages there are, which one is spoken, and how to change it.

export type Language = "en" | "zh" | "ja";

export const LANGUAGES: Language[] = ["en", "zh", "ja"];

/** Each in its own words, for whoever reads nothing else. */
export const LANGUAGE_NAMES: Record<Language, string> = { en: "English", zh: "简体中文", ja: "日本語" };

/** As browsers and `Intl` know them. */
const TAGS: Record<Language, string> = { en: "en", zh: "zh-Hans", ja: "ja" };

export function tagOf(language: Language): string {
  return TAGS[language];
}

const KEPT = "countersign.language";

/** The language that was chosen here; undefined where the browser's own is followed. */
export function chosenLanguage(): Language | undefined {
  const kept = storage()?.getItem(KEPT);
  return LANGUAGES.find((language) => language === kept);
}

export function keepLanguage(language: Language | undefined): void {
  if (language === undefined) storage()?.removeItem(KEPT);
  else storage()?.setItem(KEPT, language);
}

/** The chosen one, else the first of the browser's that there is. */
export function wantedLanguage(): Language {
  const wanted = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase());
  return chosenLanguage() ?? LANGUAGES.find((language) => language === wanted.find(isSpoken)) ?? "en";
}

function isSpoken(tag: string): boolean {
  return LANGUAGES.some((language) => language === tag);
}

/** A browser that keeps nothing has none for us, or throws. */
function storage(): Storage | undefined {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
}
