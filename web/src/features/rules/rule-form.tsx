// A rule to be made or changed: what it says, what that would do to earlier calls, and only then the way to save it.

import { type FormEvent, useRef, useState } from "react";
import { fill, say } from "@/messages";
import { Field } from "@/ui/field";
import { Options } from "@/ui/options";
import { AskedFields } from "./asked-fields";
import { DraftEnd } from "./draft-end";
import { useProblems, useTrial, type Wish } from "./policy";
import { asks, BLANK, EFFECTS, type Misfits, ruleOf, type Typed } from "./rule-draft";

type Props = {
  /** The rule that is changed; a new one without it. */
  rule?: Typed | undefined;
  /** What a new one starts from. */
  draft?: Typed;
  version: string | undefined;
  onDone: () => void;
};

export function RuleForm({ rule, draft: start = BLANK, version, onDone }: Props) {
  const [draft, setDraft] = useState<Typed>(rule ?? start);
  const [reason, setReason] = useState("");
  const [misfits, setMisfits] = useState<Misfits>({});
  const trial = useTrial();
  const heading = rule === undefined ? say.policy.createTitle : fill(say.policy.editTitle, { name: rule.name });
  // Kept from the first look on: whoever else changes the policy meanwhile is not overruled.
  const seen = useRef(version);
  const change = (more: Partial<Typed>) => {
    setDraft({ ...draft, ...more });
    // What was tried out is not what is written now.
    trial.reset();
  };
  const wish = (): Wish | undefined => {
    const made = ruleOf(draft);
    setMisfits("misfits" in made ? made.misfits : {});
    if ("misfits" in made) return undefined;
    const kind = rule === undefined ? "create" : "change";
    return { kind, name: draft.name.trim(), rule: made.rule, reason: reason.trim() };
  };
  const written = useProblems(writtenOf(draft, rule === undefined ? "create" : "change"));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wanted = wish();
    if (wanted !== undefined && !trial.isPending) trial.mutate(wanted);
  };
  const field = (name: "name" | "tool" | "server" | "priority" | "when" | "approvals" | "approvers") => ({
    value: draft[name],
    spellCheck: false,
    autoComplete: "off",
    onChange: (event: { target: { value: string } }) => change({ [name]: event.target.value }),
  });
  return (
    <form onSubmit={submit} noValidate aria-label={heading} className="space-y-4 rounded-lg border border-line p-4">
      <h3 className="text-sm font-semibold">{heading}</h3>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={say.policy.name} about={say.policy.nameText} wrong={misfits.name}>
          {(given) => <input {...given} {...field("name")} readOnly={rule !== undefined} placeholder="no-deletes" />}
        </Field>
        <Field label={say.policy.priorityLabel} about={say.policy.priorityText} optional wrong={misfits.priority}>
          {(given) => <input {...given} {...field("priority")} inputMode="numeric" placeholder="100" />}
        </Field>
        <Field label={say.policy.tool} about={say.policy.toolText} wrong={misfits.tool}>
          {(given) => <input {...given} {...field("tool")} className={`${given.className} font-mono`} />}
        </Field>
        <Field label={say.policy.server} optional className="flex flex-col justify-end">
          {(given) => <input {...given} {...field("server")} />}
        </Field>
      </div>
      <Options
        legend={say.policy.effect}
        all={EFFECTS}
        labels={say.policy.effects}
        chosen={draft.effect}
        onChoose={(effect) => change({ effect })}
      />
      <Field label={say.policy.whenLabel} about={say.policy.whenText} optional>
        {(given) => <input {...given} {...field("when")} className={`${given.className} font-mono`} />}
      </Field>
      {asks(draft.effect) && (
        <AskedFields approvals={field("approvals")} approvers={field("approvers")} wrong={misfits.approvals}>
          <label className="flex min-h-11 items-center gap-3 text-sm font-medium">
            <input
              type="checkbox"
              checked={draft.remember}
              onChange={() => change({ remember: !draft.remember })}
              className="size-4 accent-accent"
            />
            {say.policy.remember}
          </label>
        </AskedFields>
      )}
      <DraftEnd
        reason={reason}
        onReason={setReason}
        written={written}
        trial={trial}
        wish={wish}
        version={seen.current}
        onDone={onDone}
      />
    </form>
  );
}

/** The rule as it is written so far, where it is whole. */
function writtenOf(draft: Typed, kind: "create" | "change"): Wish | undefined {
  const made = ruleOf(draft);
  return "misfits" in made ? undefined : { kind, name: draft.name.trim(), rule: made.rule, reason: "" };
}
