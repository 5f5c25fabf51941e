// What became of a question, or of an attempt to answer it.

import { type ReactNode, useEffect, useRef } from "react";
import { type Answer, type Interaction, Problem } from "@/api/client";
import { useMe } from "@/api/me";
import { fill, say } from "@/messages";
import { Json } from "@/ui/code";
import { Failure, Notice } from "@/ui/notice";
import { Say } from "@/ui/say";
import { Name, Seen } from "@/ui/seen";
import { Ago } from "@/ui/time";
import { Filled } from "./filled";

/** How it ended; nothing while it is open. */
export function Outcome({ interaction }: { interaction: Interaction }) {
  switch (interaction.status) {
    case "open":
      return null;
    case "expired":
      return (
        <Notice tone="warn" title={say.answer.expired}>
          {expiredText(interaction)}
        </Notice>
      );
    case "cancelled":
      return (
        <Notice tone="neutral" title={say.answer.cancelled}>
          {say.answer.cancelledText}
        </Notice>
      );
    default:
      return interaction.answer ? <Given interaction={interaction} answer={interaction.answer} /> : null;
  }
}

function expiredText({ purpose }: Interaction): string {
  const texts: Record<string, string> = say.answer.expiredText;
  return texts[purpose] ?? say.answer.expiredText.other;
}

const GOOD = ["approve", "edit", "answer", "release"];

function Given({ interaction, answer }: { interaction: Interaction; answer: Answer }) {
  return (
    <Notice
      tone={GOOD.includes(answer.decision) ? "calm" : "neutral"}
      title={<By answer={answer} purpose={interaction.purpose} />}
    >
      {answer.reason != null && (
        <p className="whitespace-pre-wrap wrap-anywhere">
          {say.answer.because} <Seen text={answer.reason} />
        </p>
      )}
      {answer.replacement != null && (
        <p className="whitespace-pre-wrap wrap-anywhere">
          {say.answer.replacement}: <Seen text={answer.replacement} />
        </p>
      )}
      {answer.edited_args != null && <Json value={answer.edited_args} label={say.answer.editedTo} />}
      {answer.decision === "answer" && interaction.purpose === "question" && (
        <Filled form={interaction} reply={answer} />
      )}
    </Notice>
  );
}

/** `Approved by kim just now` */
export function By({ answer, purpose }: { answer: Answer; purpose: string }) {
  const me = useMe().data;
  const texts = wordsFor(answer.decision, purpose);
  const when = <Ago at={answer.responded_at} />;
  if (me?.kind === answer.kind && me.name === answer.user_id) return <Say text={texts.you} values={{ when }} />;
  const name = <Name text={answer.user_id} />;
  const who = answer.kind === "service" ? <Say text={say.answer.service} values={{ who: name }} /> : name;
  return <Say text={texts.by} values={{ who, when }} />;
}

/** A rejection is of a call, of a question or of a result. */
function wordsFor(decision: string, purpose: string): { you: string; by: string } {
  const words: Record<string, { you: string; by: string }> = say.answer.given;
  const rejected: Record<string, string> = { question: "decline", result_review: "withhold" };
  return words[decision === "reject" ? (rejected[purpose] ?? "reject") : decision] ?? say.answer.given.other;
}

/** Why an answer did not count. */
export function NotCounted({ problem, interaction }: { problem: Problem; interaction: Interaction }) {
  if (problem.status === 409 && problem.answer) {
    return (
      <Notice tone="warn" title={say.answer.faster}>
        <p>
          <By answer={problem.answer} purpose={interaction.purpose} />. {say.answer.fasterText}
        </p>
      </Notice>
    );
  }
  if (problem.status === 410) {
    const cancelled = problem.code === "CANCELLED";
    return (
      <Notice tone="warn" title={cancelled ? say.answer.cancelled : say.answer.late}>
        {cancelled ? say.answer.cancelledText : expiredText(interaction)}
      </Notice>
    );
  }
  if (problem.status === 400) return <Failure title={say.answer.unfit} error={problem} />;
  if (problem.status > 400 && problem.status < 500) return <Failure title={say.answer.refused} error={problem} />;
  return (
    <div className="space-y-2">
      <Failure
        title={say.answer.failed}
        error={
          new Problem(
            0,
            problem.code,
            fill("{detail} {advice}", { detail: problem.message, advice: say.answer.failedText }),
          )
        }
      />
    </div>
  );
}

/** Takes the focus when it appears, since the button that had it is gone. */
export function Announced({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.focus({ preventScroll: true }), []);
  return (
    <div ref={place} tabIndex={-1}>
      {children}
    </div>
  );
}
