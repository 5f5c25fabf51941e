// The two answers. Approve is a button that somebody has to aim at: it is in no form, never has the focus by itself, does
// not take a key that is held down, and takes nothing at all in the first moments, when a click may have been meant for
// what stood there before.

import { type FormEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import type { Interaction, Problem } from "@/api/client";
import { mayAnswer, useMe } from "@/api/me";
import { fill, say } from "@/messages";
import { Button } from "@/ui/button";
import { Countdown, TimeLine } from "./countdown";
import { Announced, NotCounted, Outcome } from "./outcome";
import { type Decision, useRespond } from "./respond";

const SETTLING = 600;

type Props = {
  interaction: Interaction;
  /** Kept in sight only where the call is what the page begins with: nobody should see the answers without the question. */
  place: "in-sight" | "at-end";
};

export function AnswerBar({ interaction, place }: Props) {
  const answer = useRespond(interaction.id);
  const late = answer.error !== null && [409, 410].includes(answer.error.status);
  if (interaction.status !== "open" || late) {
    const outcome = late ? <NotCounted problem={answer.error as Problem} /> : <Outcome interaction={interaction} />;
    return (
      <footer className="border-t border-line p-4 sm:px-6">
        {answer.isIdle ? outcome : <Announced>{outcome}</Announced>}
      </footer>
    );
  }
  return (
    <footer
      className={`rounded-b-xl bg-card ${place === "in-sight" ? "sticky bottom-0 pb-[env(safe-area-inset-bottom)]" : ""}`}
    >
      <TimeLine interaction={interaction} />
      <div className="space-y-3 p-4 sm:px-6">
        {answer.error && <NotCounted problem={answer.error} />}
        <Asked interaction={interaction} />
        <Buttons interaction={interaction} busy={answer.isPending} onDecide={answer.mutate} />
      </div>
    </footer>
  );
}

/** Who must decide, and until when. */
function Asked({ interaction }: { interaction: Interaction }) {
  const { answerable_by, approvals, approvals_needed, asked_by } = interaction;
  return (
    <p className="flex flex-wrap gap-x-3 text-sm">
      <Countdown interaction={interaction} />
      {answerable_by === "human" && <span>{say.answer.byHuman}</span>}
      {answerable_by === "second_person" && <span>{fill(say.answer.bySecond, { user: asked_by.user_id ?? "" })}</span>}
      {approvals_needed > 1 && (
        <span>{fill(say.answer.ofMany, { given: approvals.length, needed: approvals_needed })}</span>
      )}
    </p>
  );
}

type ButtonsProps = { interaction: Interaction; busy: boolean; onDecide: (decision: Decision) => void };

function Buttons({ interaction, busy, onDecide }: ButtonsProps) {
  const me = useMe().data;
  const settled = useSettled();
  const [rejecting, setRejecting] = useState(false);
  const [decided, setDecided] = useState<Decision["decision"]>();
  const open = useRef<HTMLButtonElement>(null);

  if (!mayAnswer(me)) return <p className="text-sm text-soft">{say.answer.viewer}</p>;
  if (interaction.answerable_by === "second_person" && me?.name === interaction.asked_by.user_id) {
    return <p className="text-sm text-soft">{say.answer.notYou}</p>;
  }
  const approved = interaction.approvals.some((given) => given.user_id === me?.name && given.kind === me.kind);
  const takes = (decision: string) => interaction.allowed_decisions.includes(decision);
  const decide = (decision: Decision) => {
    setDecided(decision.decision);
    onDecide(decision);
  };

  if (rejecting) {
    const back = () => {
      setRejecting(false);
      requestAnimationFrame(() => open.current?.focus());
    };
    return <RejectForm busy={busy} onBack={back} onReject={(reason) => decide({ decision: "reject", reason })} />;
  }
  return (
    <>
      {approved && <p className="text-sm text-soft">{say.answer.youApproved}</p>}
      <div className="flex gap-3">
        {takes("approve") && !approved && (
          <Button
            look="go"
            className="min-w-32 flex-1 sm:flex-none"
            disabled={!settled || busy}
            aria-busy={busy && decided === "approve"}
            onKeyDown={ignoreHeldKey}
            onClick={() => decide({ decision: "approve" })}
          >
            {busy && decided === "approve" ? say.answer.approving : say.answer.approve}
          </Button>
        )}
        {takes("reject") && (
          <Button
            ref={open}
            look="stop"
            className="min-w-32 flex-1 sm:flex-none"
            disabled={!settled || busy}
            onClick={() => setRejecting(true)}
          >
            {say.answer.reject}…
          </Button>
        )}
      </div>
    </>
  );
}

type RejectProps = { busy: boolean; onBack: () => void; onReject: (reason: string) => void };

function RejectForm({ busy, onBack, onReject }: RejectProps) {
  const [reason, setReason] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  const id = useId();
  useEffect(() => field.current?.focus(), []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!busy) onReject(reason);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Escape") onBack();
  };
  return (
    <form onSubmit={submit} onKeyDown={onKey} className="space-y-3">
      <div>
        <label htmlFor={id} className="text-sm font-semibold">
          {say.answer.reason}
        </label>
        <p id={`${id}-text`} className="text-xs text-soft">
          {say.answer.reasonText}
        </p>
        <textarea
          id={id}
          ref={field}
          aria-describedby={`${id}-text`}
          rows={2}
          maxLength={10_000}
          value={reason}
          placeholder={say.answer.reasonPlaceholder}
          onChange={(event) => setReason(event.target.value)}
          className="mt-1.5 block w-full resize-y rounded-lg border border-line-strong bg-code px-3 py-2 text-base placeholder:text-soft sm:text-sm"
        />
      </div>
      <div className="flex gap-3">
        <Button type="submit" look="stop" className="flex-1 sm:flex-none" disabled={busy} aria-busy={busy}>
          {busy ? say.answer.rejecting : say.answer.rejectThis}
        </Button>
        <Button look="quiet" disabled={busy} onClick={onBack}>
          {say.answer.keep}
        </Button>
      </div>
    </form>
  );
}

/** Whether what is on screen has been there long enough to be meant. */
function useSettled(): boolean {
  const [settled, setSettled] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), SETTLING);
    return () => clearTimeout(timer);
  }, []);
  return settled;
}

function ignoreHeldKey(event: KeyboardEvent) {
  if (event.repeat) event.preventDefault();
}
