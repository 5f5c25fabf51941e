// Words of an agent. However many there are, they take no more than their place: the rest is scrolled, and the answers below
// stay where they are.

import { many, say } from "@/messages";
import { Seen } from "./seen";

/** From so much on it scrolls by itself. */
const LINES = 14;
const LETTERS = 1600;

export function Passage({ text, id }: { text: string; id?: string }) {
  const lines = text.split("\n").length;
  const words = (
    <p id={id} className="whitespace-pre-wrap wrap-anywhere">
      <Seen text={text} />
    </p>
  );
  if (lines <= LINES && text.length <= LETTERS) return words;
  return (
    <section
      aria-label={many(say.call.lines, lines)}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls must be reachable by keyboard
      tabIndex={0}
      className="max-h-72 overflow-y-auto rounded-md border border-line bg-code px-3 py-2 text-ink -outline-offset-2"
    >
      {words}
    </section>
  );
}

/** The same within a line: a name, a label. Line breaks are blanks in it, and a long one scrolls. */
export function Short({ text }: { text: string }) {
  if (text.length <= LETTERS) return <Seen text={text} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls must be reachable by keyboard
    <span tabIndex={0} className="block max-h-40 overflow-y-auto rounded-md border border-line bg-code px-3 py-2">
      <Seen text={text} />
    </span>
  );
}
