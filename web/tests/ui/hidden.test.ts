import { expect, test } from "vitest";
import { countHidden, pieces, type Strictness, visibleJson, written, writtenOut } from "@/ui/hidden";

function shown(text: string, strictness: Strictness): string {
  return pieces(text, strictness)
    .map((piece) => (piece.hidden ? `<${written(piece.text)}>` : piece.text))
    .join("");
}

test("plain text stays as it is", () => {
  expect(shown("rm -rf ./build && echo größe 读取", "exact")).toBe("rm -rf ./build && echo größe 读取");
});

test.each([
  ["a zero-width space", "\u200b", "\\u{200B}"],
  ["a right-to-left override", "\u202e", "\\u{202E}"],
  ["an isolate", "\u2066", "\\u{2066}"],
  ["an Arabic letter mark", "\u061c", "\\u{061C}"],
  ["a soft hyphen", "\u00ad", "\\u{00AD}"],
  ["a byte order mark", "\ufeff", "\\u{FEFF}"],
  ["a no-break space", "\u00a0", "\\u{00A0}"],
  ["an ideographic space", "\u3000", "\\u{3000}"],
  ["a line separator", "\u2028", "\\u{2028}"],
  ["an escape", "\u001b", "\\u{001B}"],
  ["a null", "\u0000", "\\u{0000}"],
  ["a C1 control", "\u009b", "\\u{009B}"],
  ["a carriage return", "\r", "\\r"],
  ["a tab", "\t", "\\t"],
  ["a line break", "\n", "\\n"],
  ["a Hangul filler", "\u3164", "\\u{3164}"],
  ["a blank Braille cell", "\u2800", "\\u{2800}"],
  ["a variation selector", "\ufe0f", "\\u{FE0F}"],
  ["a tag letter beyond the basic plane", "\u{e0041}", "\\u{E0041}"],
  ["half a pair", "\ud800", "\\u{D800}"],
  ["an interlinear mark", "\ufffa", "\\u{FFFA}"],
  ["a private letter", "\ue000", "\\u{E000}"],
])("%s is marked in a call", (_name, character, mark) => {
  expect(shown(`a${character}b`, "exact")).toBe(`a<${mark}>b`);
});

test("in prose, line breaks and the joiners of emoji are ordinary, and bidirectional controls are not", () => {
  expect(shown("a\n👩\u200d💻 ❤\ufe0f\u202e", "prose")).toBe("a\n👩\u200d💻 ❤\ufe0f<\\u{202E}>");
});

test("in what we laid out ourselves only line breaks are ours", () => {
  expect(shown('{\n  "a": "\u200b\u00a0"\n}', "laid-out")).toBe('{\n  "a": "<\\u{200B}><\\u{00A0}>"\n}');
});

test("line breaks and tabs are shown, but are no reason to warn", () => {
  expect(countHidden("a\n\tb")).toBe(0);
  expect(countHidden("a\r\u200b\u{e0041}")).toBe(3);
});

test("in prose a joiner that joins nothing is marked, and so is a heap of accents", () => {
  expect(shown("pay\u200dpal \u0928\u094d\u200d", "prose")).toBe("pay<\\u{200D}>pal \u0928\u094d\u200d");
  expect(shown("e\u0301\u0302\u0303\u0304", "prose")).toBe("e\u0301\u0302\u0303<\\u{0304}>");
});

test("where no marks can be, what hides is written out", () => {
  expect(writtenOut("a\u202eb")).toBe("a\\u{202E}b");
  const value = { "k\u200b": "\u{e0041}\u202e\n" };
  expect(visibleJson(value)).toBe('{\n  "k\\u200b": "\\udb40\\udc41\\u202e\\n"\n}');
  expect(JSON.parse(visibleJson(value))).toEqual(value);
});
