// Somebody wants to know something: the form, and the way to decline.

import { type FormEvent, useEffect, useRef, useState } from "react";
import { many, say } from "@/messages";
import { Button } from "@/ui/button";
import { misfits as misfitsOf, type Place, placed, replyTo, type Value, type Values } from "./form";
import { FormField } from "./form-field";
import { NotCounted } from "./outcome";
import { useOpened, type WayProps, WordsForm, wrongReason } from "./way";

export function QuestionWay({ interaction, answering }: WayProps) {
  const { opened, opener, back } = useOpened<"decline">();
  const filling = useFilling({ interaction, answering });
  const form = useRef<HTMLFormElement>(null);
  const { tries, misfits } = filling;
  // Whoever tried to send is led to what does not fit.
  useEffect(() => {
    if (tries === 0) return;
    const wrong = form.current?.querySelector("[data-misfit]")?.parentElement;
    wrong?.querySelector<HTMLElement>("input, textarea")?.focus();
  }, [tries]);

  if (opened === "decline") {
    return (
      <>
        {answering.problem && <NotCounted problem={answering.problem} interaction={interaction} />}
        <WordsForm
          busy={answering.busy}
          label={say.answer.reason}
          about={say.answer.reasonText}
          placeholder={say.answer.declinePlaceholder}
          button={say.answer.declineThis}
          busyButton={say.answer.sending}
          look="stop"
          wrong={wrongReason}
          onBack={back}
          onSend={(reason) => answering.decide({ decision: "reject", reason })}
        />
      </>
    );
  }
  const problem = answering.problem !== null && answering.problem.status !== 400 ? answering.problem : null;
  return (
    <form ref={form} data-long noValidate onSubmit={filling.submit} className="space-y-5">
      <FormField
        form={interaction}
        required={interaction.required}
        path={[]}
        label={say.form.yours}
        filling={filling}
      />
      {problem && <NotCounted problem={problem} interaction={interaction} />}
      <p role="status" className="text-sm font-medium text-stop empty:hidden">
        {misfits.size > 0 && many(say.form.notSent, misfits.size)}
      </p>
      <div className="flex flex-wrap gap-3">
        <Button
          type="submit"
          look="go"
          className="min-w-32 flex-1 sm:flex-none"
          disabled={!answering.settled || answering.busy}
          aria-busy={answering.sent === "answer"}
        >
          {answering.sent === "answer" ? say.answer.sending : say.answer.send}
        </Button>
        {interaction.allowed_decisions.includes("reject") && (
          <Button
            {...opener("decline")}
            data-key="r"
            look="stop"
            className="min-w-32 flex-1 sm:flex-none"
            disabled={!answering.settled || answering.busy}
          >
            {say.answer.decline}…
          </Button>
        )}
      </div>
    </form>
  );
}

/** What was filled in, what does not fit by our own lights or the server's, and the attempt to send it. */
function useFilling({ interaction, answering }: WayProps) {
  const [values, setValues] = useState<Values>(new Map());
  /** What the server was last sent: what it said is about that, and nothing else. */
  const [sent, setSent] = useState<Values>();
  const [tries, setTries] = useState(0);
  const own = misfitsOf(interaction, interaction.required, values);
  const { problem } = answering;
  const refused = problem?.status === 400 && sent === values ? placed(interaction, problem.message) : undefined;
  const misfits = tries === 0 ? new Map() : refused ? new Map([...own, [refused.place, refused.why]]) : own;
  const onFill = (place: Place, value: Value | undefined) => {
    const next = new Map(values);
    if (value === undefined) next.delete(place);
    else next.set(place, value);
    setValues(next);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!answering.settled || answering.busy) return;
    setTries(tries + 1);
    if (own.size > 0) return;
    setSent(values);
    answering.decide({ decision: "answer", ...replyTo(interaction, interaction.required, values) });
  };
  return { values, misfits, onFill, submit, tries };
}
