// Blocks of text that are read letter by letter.

import { type ReactNode, useEffect, useState } from "react";
import { many, say } from "@/messages";
import { countHidden, type Strictness } from "./hidden";
import { Name, Seen } from "./seen";

type CodeProps = {
  text: string;
  label: string;
  large?: true;
  strictness?: Strictness;
  /** The same text, where it is laid out in a way of its own. */
  children?: ReactNode;
};

/** A text exactly as it is. It never cuts: what does not fit is scrolled, and how long it is stands above. */
export function Code({ text, label, large, strictness = "exact", children }: CodeProps) {
  const lines = text.split("\n").length;
  return (
    <figure className="overflow-hidden rounded-lg border border-line bg-code">
      <figcaption className="flex min-h-9 items-center gap-3 border-b border-line py-1 pr-1.5 pl-3 text-xs text-soft">
        <span className="min-w-0 font-medium wrap-anywhere">
          <Name text={label} />
        </span>
        {lines > 1 && <span>{many(say.call.lines, lines)}</span>}
        <span className="ml-auto">
          <Copy text={text} />
        </span>
      </figcaption>
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a block that scrolls must be reachable by keyboard
        tabIndex={0}
        className="max-h-96 overflow-auto px-3 py-2.5 -outline-offset-2"
      >
        <pre className={`exact leading-relaxed ${large ? "text-[0.9375rem]" : "text-[0.8125rem]"}`}>
          {children ?? <Seen text={text} strictness={strictness} />}
        </pre>
      </section>
    </figure>
  );
}

/** A value as JSON, in the order in which it came. */
export function Json({ value, label }: { value: unknown; label: string }) {
  return <Code text={JSON.stringify(value, null, 2)} label={label} strictness="laid-out" />;
}

/** Says so where something hides in one of `texts`. */
export function HiddenNotice({ texts }: { texts: string[] }) {
  const count = texts.reduce((sum, text) => sum + countHidden(text), 0);
  if (count === 0) return null;
  return (
    <p className="rounded-md border border-warn-line bg-warn-soft px-3 py-2 text-sm font-medium text-warn">
      {many(say.call.hidden, count)}
    </p>
  );
}

export function Copy({ text, children }: { text: string; children?: ReactNode }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  // Without a secure address the browser has no clipboard for us; the text can be selected all the same.
  if (!navigator.clipboard) return null;
  return (
    <button
      type="button"
      className="rounded px-2 py-1 text-xs font-medium text-soft hover:bg-sunk hover:text-ink"
      onClick={() =>
        navigator.clipboard.writeText(text).then(
          () => setCopied(true),
          () => {},
        )
      }
    >
      <span aria-live="polite">{copied ? say.app.copied : (children ?? say.app.copy)}</span>
    </button>
  );
}
