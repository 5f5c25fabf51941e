// Where a question is answered: until when and by whom, then the ways to answer it, then what became of it.

import { type ReactNode, useState } from "react";
import type { Interaction, Problem } from "@/api/client";
import { mayAnswer, useMe } from "@/api/me";
import { fill, many, say } from "@/messages";
import { Notice } from "@/ui/notice";
import { Countdown, TimeLine } from "./countdown";
import { Announced, NotCounted, Outcome } from "./outcome";
import { type Reading, Unseen } from "./read-through";
import { useRespond } from "./respond";
import { sameAs } from "./same";
import { useWaiting } from "./waiting";
import { type Answering, useSettled } from "./way";
import { ApprovalWay } from "./way-approval";
import { QuestionWay } from "./way-question";
import { ReviewWay } from "./way-review";
import { UncertainWay } from "./way-uncertain";

type Props = {
  interaction: Interaction;
  /** Kept in sight only where the call is what the page begins with: nobody should see the answers without the question. */
  place: "in-sight" | "at-end";
  /** What must be read before a dangerous call is approved. */
  reading: Reading;
  /** Whether all that stands above it has come, or never will. */
  whole: "whole" | "partly";
};

export function AnswerBar({ interaction, place, reading, whole }: Props) {
  const same = sameAs(interaction, useWaiting().data?.items ?? []);
  const [together, setTogether] = useState(false);
  const answer = useRespond(interaction.id, together ? same.map(({ id }) => id) : []);
  const late = answer.error !== null && [409, 410].includes(answer.error.status);
  if (interaction.status !== "open" || late) {
    const outcome = late ? (
      <NotCounted problem={answer.error as Problem} interaction={interaction} />
    ) : (
      <Outcome interaction={interaction} />
    );
    return (
      <footer className="border-t border-line p-4 sm:px-6">
        {answer.isIdle ? outcome : <Announced>{outcome}</Announced>}
      </footer>
    );
  }
  // What has much to fill in would cover what it is about.
  const sticky = "sticky bottom-0 pb-[env(safe-area-inset-bottom)] has-data-long:static max-sm:has-data-tall:static";
  return (
    <footer className={`rounded-b-xl bg-card ${place === "in-sight" ? sticky : ""}`}>
      <TimeLine interaction={interaction} />
      <div className="space-y-3 p-4 sm:px-6">
        <Asked interaction={interaction} />
        {same.length > 0 && (
          <label className="flex min-h-8 items-center gap-2.5 text-sm">
            <input
              type="checkbox"
              checked={together}
              disabled={answer.isPending}
              data-key="x"
              onChange={() => setTogether(!together)}
              className="size-4 shrink-0 accent-accent"
            />
            {many(say.news.together, same.length)}
          </label>
        )}
        <Ways interaction={interaction} answer={answer} reading={reading} whole={whole} />
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

type WaysProps = {
  interaction: Interaction;
  answer: ReturnType<typeof useRespond>;
  reading: Reading;
  whole: "whole" | "partly";
};

function Ways({ interaction, answer, reading, whole }: WaysProps): ReactNode {
  const me = useMe().data;
  const settled = useSettled(whole);
  if (!mayAnswer(me)) return <p className="text-sm text-soft">{say.answer.viewer}</p>;
  if (interaction.answerable_by === "second_person" && me?.name === interaction.asked_by.user_id) {
    return <p className="text-sm text-soft">{say.answer.notYou}</p>;
  }
  const answering: Answering = {
    busy: answer.isPending,
    settled,
    shown: reading.shown,
    sent: answer.isPending ? answer.variables.decision : undefined,
    problem: answer.error,
    already: interaction.approvals.some((given) => given.user_id === me?.name && given.kind === me.kind),
    decide: answer.mutate,
  };
  const refused = answer.error && <NotCounted problem={answer.error} interaction={interaction} />;
  switch (interaction.purpose) {
    case "approval":
      return [
        <Unseen key="unseen" interaction={interaction} reading={reading} />,
        refused && <div key="refused">{refused}</div>,
        <ApprovalWay key="way" {...{ interaction, answering }} />,
      ];
    case "result_review":
      return [refused && <div key="refused">{refused}</div>, <ReviewWay key="way" {...{ interaction, answering }} />];
    case "uncertain_outcome":
      return [
        refused && <div key="refused">{refused}</div>,
        <UncertainWay key="way" {...{ interaction, answering }} />,
      ];
    case "question":
      return <QuestionWay interaction={interaction} answering={answering} />;
    default:
      return (
        <Notice tone="warn" title={say.answer.unknownPurpose}>
          {fill(say.answer.unknownPurposeText, { decisions: interaction.allowed_decisions.join(", ") })}
        </Notice>
      );
  }
}
