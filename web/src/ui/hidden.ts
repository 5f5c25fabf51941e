// Characters that a reader would not see, or that change how the rest is shown: controls, bidirectional controls, and what
// Unicode calls default-ignorable or shows as blank. The policy distrusts the same ones.

const HIDDEN =
  /[\p{Cc}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2028\u2029\u2800\ufff0-\ufffb]|(?! )\p{White_Space}/u;

/** In prose these are ordinary: line breaks, tabs, blanks of other widths. */
const ORDINARY = /[\n\r\t\u00a0\u202f\u2009\u3000]/u;

/** And these where they join or shape what stands before them: the parts of an emoji, letters of scripts that join. */
const JOINER = /\u200c|\u200d|\ufe0e|\ufe0f/u;
const JOINED =
  /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\ufe0f|\u20e3|[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Mongolian}]/u;

/** Marks that are put over the letter before them. Languages put a few on one; a heap of them covers what stands around. */
const STACKED = /\p{M}/u;
const HIGHEST = 3;

/**
 * How much is marked: in an exact text everything; in one that is laid out in lines and columns, such as JSON or what a
 * tool gave, everything but line breaks and tabs; in prose what has no business there.
 */
export type Strictness = "exact" | "laid-out" | "prose";

/** A piece of a text: as it stands, or one character that is hidden in it. */
export type Piece = { text: string; hidden: boolean };

/** `text` cut at its hidden characters. */
export function pieces(text: string, strictness: Strictness): Piece[] {
  const found: Piece[] = [];
  let plain = "";
  let before = "";
  let height = 0;
  for (const character of text) {
    height = STACKED.test(character) ? height + 1 : 0;
    const hides = height > HIGHEST || isHidden(character, strictness, before);
    before = character;
    if (hides) {
      if (plain) found.push({ text: plain, hidden: false });
      found.push({ text: character, hidden: true });
      plain = "";
    } else {
      plain += character;
    }
  }
  if (plain) found.push({ text: plain, hidden: false });
  return found;
}

/** How many characters of `text` hide, line breaks and tabs not counted. */
export function countHidden(text: string): number {
  return pieces(text, "laid-out").filter(({ hidden }) => hidden).length;
}

/** A hidden character in writing: `\n`, `\t`, `\u{202E}`. */
export function written(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  if (character === "\r") return "\\r";
  return `\\u{${code(character)}}`;
}

/** `text` for places that can show no marks, such as what stands in an empty field. */
export function writtenOut(text: string): string {
  return pieces(text, "laid-out")
    .map((piece) => (piece.hidden ? written(piece.text) : piece.text))
    .join("");
}

/** A value as JSON in which nothing hides: what would is written as JSON's own escape, and so means the same. */
export function visibleJson(value: unknown): string {
  const units = (character: string) =>
    [...Array(character.length).keys()]
      .map((unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, "0")}`)
      .join("");
  return pieces(JSON.stringify(value, null, 2), "laid-out")
    .map((piece) => (piece.hidden ? units(piece.text) : piece.text))
    .join("");
}

export function code(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
}

function isHidden(character: string, strictness: Strictness, before: string): boolean {
  if (!HIDDEN.test(character)) return false;
  if (strictness === "prose" && JOINER.test(character)) return !JOINED.test(before);
  if (strictness === "prose") return !ORDINARY.test(character);
  return strictness === "exact" || !/[\n\t]/.test(character);
}
