// What became of a question, or of an attempt to answer it.

import { type ReactNode, useEffect, useRef } from "react";
import { type Answer, type Interaction, Problem } from "@/api/client";
import { useMe } from "@/api/me";
import { fill, say } from "@/messages";
import { Failure, Notice } from "@/ui/notice";
import { Say } from "@/ui/say";
import { Name, Seen } from "@/ui/seen";
import { Ago } from "@/ui/time";

/** How it ended; nothing while it is open. */
export function Outcome({ interaction }: { interaction: Interaction }) {
  switch (interaction.status) {
    case "open":
      return null;
    case "expired":
      return (
        <Notice tone="warn" title={say.answer.expired}>
          {say.answer.expiredText}
        </Notice>
      );
    case "cancelled":
      return (
        <Notice tone="neutral" title={say.answer.cancelled}>
          {say.answer.cancelledText}
        </Notice>
      );
    default:
      return interaction.answer ? <Given answer={interaction.answer} /> : null;
  }
}

function Given({ answer }: { answer: Answer }) {
  return (
    <Notice tone={answer.decision === "approve" ? "calm" : "neutral"} title={<By answer={answer} />}>
      {answer.reason != null && (
        <p className="whitespace-pre-wrap wrap-anywhere">
          {say.answer.because} <Seen text={answer.reason} />
        </p>
      )}
    </Notice>
  );
}

/** `Approved by kim just now` */
function By({ answer }: { answer: Answer }) {
  const me = useMe().data;
  const approved = answer.decision === "approve";
  const when = <Ago at={answer.responded_at} />;
  if (me?.kind === answer.kind && me.name === answer.user_id) {
    return <Say text={approved ? say.answer.approvedByYou : say.answer.rejectedByYou} values={{ when }} />;
  }
  const name = <Name text={answer.user_id} />;
  const who = answer.kind === "service" ? <Say text={say.answer.service} values={{ who: name }} /> : name;
  const text = approved ? say.answer.approvedBy : say.answer.rejectedBy;
  return <Say text={text} values={{ who, when }} />;
}

/** Why an answer did not count. */
export function NotCounted({ problem }: { problem: Problem }) {
  if (problem.status === 409 && problem.answer) {
    return (
      <Notice tone="warn" title={say.answer.faster}>
        <p>
          <By answer={problem.answer} />. {say.answer.fasterText}
        </p>
      </Notice>
    );
  }
  if (problem.status === 410) {
    const cancelled = problem.code === "CANCELLED";
    return (
      <Notice tone="warn" title={cancelled ? say.answer.cancelled : say.answer.late}>
        {cancelled ? say.answer.cancelledText : say.answer.expiredText}
      </Notice>
    );
  }
  if (problem.status >= 400 && problem.status < 500) return <Failure title={say.answer.refused} error={problem} />;
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
