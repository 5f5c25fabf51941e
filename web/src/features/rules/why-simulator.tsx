// Why? A call in, and what the policy would say to it out, step by step.

import { useRouterState } from "@tanstack/react-router";
import { type ClipboardEvent, type FormEvent, useEffect, useState } from "react";
import type { CheckedCall } from "@/api/client";
import { say } from "@/messages";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Field } from "@/ui/field";
import { Failure, Notice } from "@/ui/notice";
import { useCheck } from "./check";
import { callOf, type Draft, draftOf, EMPTY, type Misfits, wholeCall } from "./draft";
import { PastCalls } from "./past-calls";
import { VerdictView } from "./verdict-view";

export function WhySimulator() {
  const taken = useRouterState({ select: ({ location }) => location.state.call });
  const [isPast, setPast] = useState(taken !== undefined);
  const [draft, setDraft] = useState<Draft>(() => (taken === undefined ? EMPTY : draftOf(taken)));
  const [misfits, setMisfits] = useState<Misfits>({});
  const check = useCheck();
  const { mutate } = check;
  // Whoever comes with a call has asked already.
  useEffect(() => {
    if (taken !== undefined) mutate(taken);
  }, [taken, mutate]);
  const show = (call: CheckedCall) => {
    setDraft(draftOf(call));
    setMisfits({});
  };
  const choose = (call: CheckedCall) => {
    show(call);
    setPast(true);
    mutate(call);
  };
  const paste = (event: ClipboardEvent) => {
    const call = wholeCall(event.clipboardData.getData("text"));
    if (call === undefined) return;
    event.preventDefault();
    show(call);
    setPast(false);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const made = callOf(draft);
    setMisfits("misfits" in made ? made.misfits : {});
    if ("call" in made) mutate(made.call);
  };
  const field = (name: keyof Draft) => ({
    value: draft[name],
    spellCheck: false,
    autoComplete: "off",
    onChange: (event: { target: { value: string } }) => setDraft({ ...draft, [name]: event.target.value }),
  });
  return (
    <Card className="p-4 sm:p-6">
      <h2 className="text-lg font-semibold tracking-tight">{say.rules.why}</h2>
      <p className="text-sm text-soft">{say.rules.whyText}</p>
      <div className="mt-4 grid gap-6 lg:grid-cols-2">
        <form onSubmit={submit} onPaste={paste} noValidate aria-label={say.rules.why} className="min-w-0 space-y-4">
          <PastCalls onChoose={choose} />
          {/* Below the list, which does not move under the pointer. */}
          {isPast && <Notice tone="neutral" title={say.rules.fromAudit} />}
          <div className="grid gap-4 sm:grid-cols-2">
            <Field label={say.rules.tool} wrong={misfits.tool}>
              {(given) => <input {...given} {...field("tool")} required data-filter placeholder="bash" />}
            </Field>
            <Field label={say.rules.server} optional>
              {(given) => <input {...given} {...field("server")} title={say.rules.serverText} />}
            </Field>
          </div>
          <Field label={say.rules.args} wrong={misfits.args}>
            {(given) => (
              <textarea {...given} {...field("args")} rows={6} className={`${given.className} resize-y font-mono`} />
            )}
          </Field>
          <div className="grid gap-4 sm:grid-cols-2">
            <Field label={say.rules.user} about={say.rules.userText} optional>
              {(given) => <input {...given} {...field("user")} />}
            </Field>
            <Field label={say.rules.agent} optional className="flex flex-col justify-end">
              {(given) => <input {...given} {...field("agent")} />}
            </Field>
          </div>
          <Field label={say.rules.cwd} optional>
            {(given) => <input {...given} {...field("cwd")} placeholder="/srv/shop" />}
          </Field>
          <Button type="submit" look="go" disabled={check.isPending} aria-busy={check.isPending}>
            {check.isPending ? say.rules.asking : say.rules.ask}
          </Button>
        </form>
        <div className="min-w-0" aria-live="polite">
          {check.error !== null && <Failure title={say.rules.failed} error={check.error} />}
          {check.data !== undefined && <VerdictView verdict={check.data} />}
        </div>
      </div>
    </Card>
  );
}
