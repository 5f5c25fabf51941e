import { afterEach, expect, test } from "vitest";
import { ago, catalogues, date, fill, type Language, many, number, say, span, speak } from "@/messages";
import { tagOf, wantedLanguage } from "@/messages/language";

afterEach(() => speak(undefined));

type Texts = { [name: string]: string | Texts };

/** Every message by its place. A plural is one message. */
function flat(texts: Texts, path = ""): [place: string, forms: Texts][] {
  return Object.entries(texts).flatMap(([name, value]) => {
    const place = path === "" ? name : `${path}.${name}`;
    if (typeof value === "string") return [[place, { text: value }] as [string, Texts]];
    return typeof value.other === "string" && isPlural(value)
      ? [[place, value] as [string, Texts]]
      : flat(value, place);
  });
}

function isPlural(value: Texts): boolean {
  return Object.keys(value).every((name) => ["one", "other"].includes(name)) && String(value.other).includes("{count}");
}

function namesIn(template: string): string[] {
  return [...new Set([...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name)))].sort();
}

const english = new Map(flat(catalogues.en as unknown as Texts));
const others: Language[] = ["zh", "ja"];

test.each(others)("%s says everything that English says, and nothing else", (language) => {
  const places = flat(catalogues[language] as unknown as Texts).map(([place]) => place);
  expect(places).toEqual([...english.keys()]);
});

test.each(others)("%s has the same values in each sentence, and no sentence is empty", (language) => {
  const wrong = flat(catalogues[language] as unknown as Texts).filter(([place, forms]) => {
    const model = String(english.get(place)?.other ?? english.get(place)?.text);
    return Object.values(forms).some(
      (form) => String(form).trim() === "" || namesIn(String(form)).join() !== namesIn(model).join(),
    );
  });
  expect(wrong).toEqual([]);
});

test.each(["en", ...others] as Language[])("%s has a form for each of its plurals", (language) => {
  const { pluralCategories } = new Intl.PluralRules(tagOf(language)).resolvedOptions();
  const plurals = flat(catalogues[language] as unknown as Texts).filter(([, forms]) => "other" in forms);
  expect(plurals.length).toBeGreaterThan(10);
  for (const [place, forms] of plurals) expect([place, Object.keys(forms)]).toEqual([place, pluralCategories]);
});

test("what is chosen is spoken at once, kept, and given up again", () => {
  speak("ja");
  expect(say.answer.approve).toBe("承認");
  expect(wantedLanguage()).toBe("ja");
  expect(window.localStorage.getItem("countersign.language")).toBe("ja");
  speak(undefined);
  expect(say.answer.approve).toBe("Approve");
  expect(window.localStorage.getItem("countersign.language")).toBeNull();
});

test("numbers, times and plurals are those of the language", () => {
  speak("en");
  expect([many(say.inbox.waiting, 1), many(say.inbox.waiting, 1200)]).toEqual([
    "1 question waits",
    "1,200 questions wait",
  ]);
  speak("zh");
  expect([many(say.inbox.waiting, 1), span(250_000), ago(180_000)]).toEqual([
    "1 个请求待处理",
    "4 分 10 秒",
    "3分钟前",
  ]);
  speak("ja");
  expect([number(1200), ago(180_000), fill(say.answer.left, { time: span(59_000) })]).toEqual([
    "1,200",
    "3 分前",
    "残り 59 秒",
  ]);
  expect(date(Date.UTC(2026, 0, 2, 12))).toMatch(/2026\/01\/02/);
});
