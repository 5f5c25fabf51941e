// Characters that a reader would not see, or that change how the rest is shown: controls, bidirectional controls, and what
// Unicode calls default-ignorable or shows as blank. The policy distrusts the same ones.

const HIDDEN =
  /[\p{Cc}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2028\u2029\u2800\ufff0-\ufffb]|(?! )\p{White_Space}/u;

/** In prose these are ordinary: line breaks, tabs, blanks of other widths, the joiners of emoji. */
const ORDINARY = /[\n\r\t\u00a0\u202f\u2009\u3000]|\u200c|\u200d|\ufe0e|\ufe0f/u;

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
  for (const character of text) {
    if (isHidden(character, strictness)) {
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
  let count = 0;
  for (const character of text) {
    if (!/[\n\t]/.test(character) && isHidden(character, "exact")) count += 1;
  }
  return count;
}

/** A hidden character in writing: `\n`, `\t`, `\u{202E}`. */
export function written(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\t") return "\\t";
  if (character === "\r") return "\\r";
  return `\\u{${code(character)}}`;
}

export function code(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
}

function isHidden(character: string, strictness: Strictness): boolean {
  if (!HIDDEN.test(character)) return false;
  if (strictness === "prose") return !ORDINARY.test(character);
  return strictness === "exact" || !/[\n\t]/.test(character);
}
