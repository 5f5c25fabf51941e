// What each layer of the policy said, in the order in which they were asked, with the one that decided marked.

import type { Reason } from "@/api/client";
import { say } from "@/messages";
import { Badge, type Tone } from "./badge";
import { Name, Sentence } from "./seen";

const TONES: Record<string, Tone> = { allow: "calm", ask: "info", deny: "stop" };
const DOTS: Record<string, string> = { allow: "bg-go", ask: "bg-info", deny: "bg-stop" };

export function Ladder({ reasons }: { reasons: Reason[] }) {
  const decided = reasons.findLastIndex(({ said }) => said !== "silent");
  return (
    <ol className="relative space-y-1 before:absolute before:top-4 before:bottom-4 before:left-[0.5625rem] before:w-px before:bg-line">
      {reasons.map((reason, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a layer may say the same twice, and steps never change places
        <Step key={place} reason={reason} decided={place === decided} />
      ))}
    </ol>
  );
}

function Step({ reason, decided }: { reason: Reason; decided: boolean }) {
  const words: Record<string, string> = say.call.said;
  const silent = reason.said === "silent";
  return (
    <li
      data-layer={reason.layer}
      data-said={reason.said}
      data-decided={decided}
      className={`relative rounded-lg py-1.5 pr-3 pl-8 text-sm ${decided ? "bg-accent-soft" : ""}`}
    >
      <span
        aria-hidden="true"
        className={`absolute top-3 left-[0.3125rem] size-2.5 rounded-full ${DOTS[reason.said] ?? "border border-line-strong bg-card"}`}
      />
      <span className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <span className={silent ? "text-soft" : "font-semibold"}>
          <Name text={reason.layer} />
          {reason.name != null && reason.name !== reason.layer && (
            <code className="ml-1.5 font-mono text-[0.9em] font-normal wrap-anywhere">
              <Name text={reason.name} />
            </code>
          )}
        </span>
        <Badge tone={TONES[reason.said] ?? "neutral"}>{words[reason.said] ?? <Name text={reason.said} />}</Badge>
        {decided && <span className="text-xs font-semibold text-accent">← {say.rules.decided}</span>}
      </span>
      <span className="mt-0.5 block text-soft wrap-anywhere">
        <Sentence text={reason.text} />
      </span>
    </li>
  );
}
