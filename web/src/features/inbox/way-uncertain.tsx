// What became of a call that was started and never reported? Each answer stands beside what it leads to.

import { useId, useState } from "react";
import { say } from "@/messages";
import type { Look } from "@/ui/button";
import { Fold } from "@/ui/card";
import { fieldLook } from "./form-label";
import type { Decision } from "./respond";
import { Decide, type WayProps } from "./way";

const answers = (): { decision: Decision; look: Look; word: string; leadsTo: string }[] => [
  { decision: "happened", look: "plain", word: say.answer.happened, leadsTo: say.answer.happenedText },
  { decision: "run_again", look: "stop", word: say.answer.runAgain, leadsTo: say.answer.runAgainText },
  { decision: "give_up", look: "plain", word: say.answer.giveUp, leadsTo: say.answer.giveUpText },
];

export function UncertainWay({ interaction, answering }: WayProps) {
  const [reason, setReason] = useState("");
  const id = useId();
  const taken = answers().filter(
    ({ decision }) =>
      interaction.allowed_decisions.includes(decision) && !(decision === "run_again" && answering.already),
  );
  return (
    <div data-tall className="space-y-4">
      {answering.already && <p className="text-sm text-soft">{say.answer.youRanAgain}</p>}
      <ul className="space-y-3">
        {taken.map(({ decision, look, word, leadsTo }) => (
          <li key={decision} className="items-center gap-4 max-sm:space-y-1.5 sm:flex">
            <Decide
              answering={answering}
              given={{ decision, reason }}
              look={look}
              className="max-sm:w-full sm:w-36 sm:shrink-0"
              aria-describedby={`${id}-${decision}`}
            >
              {word}
            </Decide>
            <p id={`${id}-${decision}`} className="text-sm text-soft">
              {leadsTo}
            </p>
          </li>
        ))}
      </ul>
      <Fold summary={say.answer.note}>
        <label htmlFor={id} className="sr-only">
          {say.answer.note}
        </label>
        <textarea
          id={id}
          aria-describedby={`${id}-about`}
          rows={2}
          maxLength={2500}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          className={`${fieldLook} resize-y`}
        />
        <p id={`${id}-about`} className="mt-1 text-xs text-soft">
          {say.answer.noteText}
        </p>
      </Fold>
    </div>
  );
}
