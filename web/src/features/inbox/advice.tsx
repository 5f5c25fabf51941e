// What a model says of a dangerous call. It stands apart from the call and after its end: nobody has to have read it to decide.

import type { Interaction } from "@/api/client";
import { say } from "@/messages";
import { Say } from "@/ui/say";
import { Name, Seen } from "@/ui/seen";

export function Advice({ interaction }: { interaction: Interaction }) {
  const { advice } = interaction;
  if (advice == null) return null;
  // Kept as high while nothing is there yet as a short advice is, so that little moves when it comes.
  return (
    <aside
      aria-label={say.call.advice}
      data-advice={advice.status}
      className="min-h-28 space-y-2 rounded-lg border border-dashed border-line bg-sunk px-4 py-3 text-sm"
    >
      <h3 className="text-[0.8125rem] font-semibold text-soft">{say.call.advice}</h3>
      {advice.text == null ? (
        <p className="text-soft">{advice.status === "pending" ? say.call.advicePending : say.call.adviceNone}</p>
      ) : (
        <Words text={advice.text} model={advice.model ?? ""} />
      )}
    </aside>
  );
}

function Words({ text, model }: { text: string; model: string }) {
  return (
    <>
      <p className="whitespace-pre-wrap wrap-anywhere">
        <Seen text={text} />
      </p>
      <p className="text-xs text-soft">
        <Say text={say.call.adviceBy} values={{ model: <Name text={model} /> }} />
      </p>
    </>
  );
}
