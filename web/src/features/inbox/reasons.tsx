// Why the policy asks: what spoke, and folded away what did not.

import type { Reason } from "@/api/client";
import { many, say } from "@/messages";
import { Badge, type Tone } from "@/ui/badge";
import { Fold } from "@/ui/card";
import { Name, Sentence } from "@/ui/seen";

export function Reasons({ reasons }: { reasons: Reason[] }) {
  const spoke = reasons.filter((reason) => reason.said !== "silent");
  const silent = reasons.filter((reason) => reason.said === "silent");
  return (
    <div className="space-y-2">
      <List reasons={spoke} />
      {silent.length > 0 && (
        <Fold beside summary={many(say.call.silent, silent.length)}>
          <List reasons={silent} />
        </Fold>
      )}
    </div>
  );
}

const TONES: Record<string, Tone> = { allow: "calm", ask: "info", deny: "stop" };

function List({ reasons }: { reasons: Reason[] }) {
  const said: Record<string, string> = say.call.said;
  return (
    <ul className="space-y-2">
      {reasons.map((reason) => (
        <li
          key={`${reason.layer} ${reason.name} ${reason.text}`}
          className="flex flex-wrap items-baseline gap-x-2.5 gap-y-1 text-sm"
        >
          <Badge tone={TONES[reason.said] ?? "neutral"}>{said[reason.said] ?? reason.said}</Badge>
          <span className="font-medium">
            <Name text={reason.layer} />
            {reason.name != null && reason.name !== reason.layer && (
              <>
                {" "}
                <code className="font-mono text-[0.9em]">
                  <Name text={reason.name} />
                </code>
              </>
            )}
          </span>
          <span className="min-w-0 basis-full text-soft wrap-anywhere sm:basis-auto">
            <Sentence text={reason.text} />
          </span>
        </li>
      ))}
    </ul>
  );
}
