// A capability, an override or a role to be made or changed: what it says, what that would do, and then the way to save it.

import { type FormEvent, useRef, useState } from "react";
import { fill, say } from "@/messages";
import { Field } from "@/ui/field";
import { Options } from "@/ui/options";
import { AskedFields } from "./asked-fields";
import { DraftEnd } from "./draft-end";
import { useProblems, useTrial } from "./policy";
import { asks, EFFECTS } from "./rule-draft";
import { BLANK, EXECUTIONS, misfitsOf, RESULTS, type Typed, wishOf } from "./thing-draft";
import type { Kind } from "./things";

type Props = { kind: Kind; thing?: Typed; version: string | undefined; onDone: () => void };

export function ThingForm({ kind, thing, version, onDone }: Props) {
  const [draft, setDraft] = useState<Typed>(thing ?? BLANK);
  const [reason, setReason] = useState("");
  const [tried, setTried] = useState(false);
  const trial = useTrial();
  // Kept from the first look on: whoever else changes the policy meanwhile is not overruled.
  const seen = useRef(version);
  const words = say.things[kind];
  const heading = thing === undefined ? words.create : fill(say.policy.editTitle, { name: thing.name });
  const misfits = misfitsOf(kind, draft);
  const isWhole = Object.keys(misfits).length === 0;
  const wish = wishOf(kind, draft, reason);
  const written = useProblems(isWhole ? wish : undefined);
  const change = (more: Partial<Typed>) => {
    setDraft({ ...draft, ...more });
    trial.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (isWhole && !trial.isPending) trial.mutate(wish);
  };
  const text = (name: "name" | "user" | "approvals" | "approvers" | "description" | "allowed" | "denied") => ({
    value: draft[name],
    spellCheck: false,
    autoComplete: "off",
    onChange: (event: { target: { value: string } }) => change({ [name]: event.target.value }),
  });
  return (
    <form onSubmit={submit} noValidate aria-label={heading} className="space-y-4 rounded-lg border border-line p-4">
      <h3 className="text-sm font-semibold wrap-anywhere">{heading}</h3>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={words.name} about={words.nameText} wrong={tried ? misfits.name : undefined}>
          {(given) => (
            <input
              {...given}
              {...text("name")}
              readOnly={thing !== undefined}
              className={`${given.className} font-mono`}
            />
          )}
        </Field>
        {kind === "override" && (
          <Field label={say.things.user} about={say.things.userText} optional>
            {(given) => <input {...given} {...text("user")} readOnly={thing !== undefined} />}
          </Field>
        )}
        {kind === "role" && (
          <>
            <Field label={say.things.description} optional className="flex flex-col justify-end">
              {(given) => <input {...given} {...text("description")} spellCheck />}
            </Field>
            <Field label={say.things.allowed} about={say.things.allowedText} optional>
              {(given) => <input {...given} {...text("allowed")} className={`${given.className} font-mono`} />}
            </Field>
            <Field label={say.things.denied} about={say.things.deniedText} optional>
              {(given) => <input {...given} {...text("denied")} className={`${given.className} font-mono`} />}
            </Field>
          </>
        )}
      </div>
      {kind === "capability" && (
        <>
          <Options
            legend={say.policy.effect}
            all={EFFECTS}
            labels={say.policy.effects}
            chosen={draft.effect}
            onChoose={(effect) => change({ effect })}
          />
          {asks(draft.effect) && (
            <AskedFields approvals={text("approvals")} approvers={text("approvers")} wrong={misfits.approvals} />
          )}
        </>
      )}
      {kind === "override" && (
        <>
          <Options
            legend={say.things.execution}
            all={EXECUTIONS}
            labels={say.things.executions}
            chosen={draft.execution}
            onChoose={(execution) => change({ execution })}
          />
          <Options
            legend={say.things.result}
            all={RESULTS}
            labels={say.things.results}
            chosen={draft.result}
            onChoose={(result) => change({ result })}
          />
        </>
      )}
      <DraftEnd
        reason={reason}
        onReason={setReason}
        written={written}
        trial={trial}
        wish={() => (isWhole ? wish : undefined)}
        version={seen.current}
        onDone={onDone}
      />
    </form>
  );
}
