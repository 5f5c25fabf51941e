// What a tool gave: its first lines, and the rest on demand.

import { useState } from "react";
import { many, say } from "@/messages";
import { Seen } from "@/ui/seen";

const LINES = 12;
const LETTERS = 2000;

export function Output({ text }: { text: string }) {
  const [all, setAll] = useState(false);
  const lines = text.split("\n");
  const start = lines.slice(0, LINES).join("\n").slice(0, LETTERS);
  const cut = !all && start.length < text.length;
  return (
    <div className="mt-1.5 rounded-md border border-line bg-code">
      <pre className="exact px-2.5 py-2 text-[0.8125rem] leading-relaxed">
        <Seen text={cut ? `${start}…` : text} />
      </pre>
      {cut && (
        <button
          type="button"
          className="min-h-9 w-full border-t border-line text-xs font-medium text-accent hover:bg-sunk"
          onClick={() => setAll(true)}
        >
          {many(say.run.showAll, lines.length)}
        </button>
      )}
    </div>
  );
}
