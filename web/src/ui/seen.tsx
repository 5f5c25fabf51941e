// Text from outside, with everything that hides in it made visible. Whatever an agent, a tool or a person wrote goes
// through here.

import { Fragment, type ReactNode } from "react";
import { fill, say } from "@/messages";
import { code, pieces, type Strictness, written } from "./hidden";

export function Seen({ text, strictness = "prose" }: { text: string; strictness?: Strictness }) {
  return pieces(text, strictness).map((piece, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text never change places
    <Fragment key={index}>
      {piece.hidden ? <Mark character={piece.text} /> : strictness === "prose" ? piece.text : whole(piece.text)}
    </Fragment>
  ));
}

/** The longest word that is kept in one line, so that it fits a phone. */
const KEPT = 24;

/** `text` with its options in one piece: a browser would break `-rf` after the hyphen, and an option is no hyphen. */
function whole(text: string): ReactNode {
  if (!text.includes("-")) return text;
  return text.split(/(\s+)/).map((word, index) =>
    word.includes("-") && word.length <= KEPT ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the words of one text never change places
      <span key={index} className="whitespace-nowrap">
        {word}
      </span>
    ) : (
      word
    ),
  );
}

function Mark({ character }: { character: string }) {
  // A line break is ordinary in a command of several lines: said quietly, and it still breaks the line.
  if (character === "\n") {
    return (
      <>
        <span className="select-none text-soft">{written(character)}</span>
        {"\n"}
      </>
    );
  }
  return (
    <mark
      title={fill(say.call.hiddenOne, { code: code(character) })}
      className="mx-px rounded-sm bg-warn-soft px-0.5 font-mono text-[0.9em] font-semibold text-warn ring-1 ring-warn-line"
    >
      {written(character)}
    </mark>
  );
}

/** Sentences of the server, where names stand between backticks. */
export function Sentence({ text }: { text: string }) {
  return text.split(/`([^`]+)`/).map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never change places
      <code key={index} className="rounded bg-sunk px-1 font-mono text-[0.9em] wrap-anywhere">
        <Name text={part} />
      </code>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never change places
      <Seen key={index} text={part} />
    ),
  );
}

/** The same, kept from mixing with the text around it. */
export function Name({ text }: { text: string }) {
  return (
    <bdi>
      <Seen text={text} strictness="exact" />
    </bdi>
  );
}
