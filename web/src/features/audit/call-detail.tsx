// All that is known of one call.

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { checkedCall } from "@/api/audited";
import type { AuditedCall } from "@/api/client";
import { date, say, span } from "@/messages";
import { buttonLook } from "@/ui/button";
import { Facts, Part } from "@/ui/card";
import { Code, Copy, HiddenNotice, Json } from "@/ui/code";
import { Ladder } from "@/ui/ladder";
import { Say } from "@/ui/say";
import { Name, Seen } from "@/ui/seen";
import { Ago } from "@/ui/time";
import { type Answered, answersOf, parsed, reasonsOf, starterOf } from "./told";

export function CallDetail({ call }: { call: AuditedCall }) {
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      <div className="min-w-0 space-y-6">
        <Part title={say.audit.arguments}>
          <HiddenNotice texts={[call.input_json]} />
          <Given json={call.input_json} label={say.audit.arguments} />
        </Part>
        <Part title={say.audit.result}>
          {call.output_json == null ? (
            <p className="text-sm text-soft">{say.audit.noResult}</p>
          ) : (
            <>
              <HiddenNotice texts={[call.output_json]} />
              <Given json={call.output_json} label={say.audit.result} />
            </>
          )}
        </Part>
        <Part title={say.audit.facts}>
          <Facts facts={factsOf(call)} />
        </Part>
      </div>
      <div className="min-w-0 space-y-6">
        <Part title={say.audit.reasons}>
          <Ladder reasons={reasonsOf(call)} />
        </Part>
        <Link to="/rules" state={{ call: checkedCall(call) }} className={buttonLook("plain")}>
          {say.audit.why}
        </Link>
        <Part title={say.audit.answers}>
          <Answers answers={answersOf(call)} />
        </Part>
      </div>
    </div>
  );
}

/** A JSON text: what it holds, where that is a text, else laid out. */
function Given({ json, label }: { json: string; label: string }) {
  const value = parsed(json);
  return typeof value === "string" ? (
    <Code text={value} label={label} strictness="laid-out" />
  ) : (
    <Json value={value} label={label} />
  );
}

function Answers({ answers }: { answers: Answered[] }) {
  if (answers.length === 0) return <p className="text-sm text-soft">{say.audit.noAnswers}</p>;
  const words: Record<string, string> = say.audit.decisions;
  return (
    <ul className="space-y-2 text-sm">
      {answers.map((answer) => (
        <li key={`${answer.who} ${answer.at} ${answer.decision}`}>
          <Say
            text={say.audit.answered}
            values={{
              who: (
                <span className="font-semibold">
                  {answer.kind === "service" ? (
                    <Say text={say.answer.service} values={{ who: <Name text={answer.who} /> }} />
                  ) : (
                    <Name text={answer.who} />
                  )}
                </span>
              ),
              decision: words[answer.decision] ?? <Name text={answer.decision} />,
              when: answer.at === undefined ? "" : <Ago at={answer.at} />,
            }}
          />
          {answer.door !== undefined && <span className="text-soft"> · {through(answer.door)}</span>}
          {answer.reason !== undefined && (
            <p className="mt-0.5 border-l-2 border-line pl-3 whitespace-pre-wrap text-soft wrap-anywhere">
              <Seen text={answer.reason} />
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The door, in words; one that this page does not know yet, as it is called. */
function through(door: string): ReactNode {
  const words: Record<string, string> = say.audit.doors;
  return words[door] ?? <Name text={door} />;
}

function factsOf(call: AuditedCall): [string, ReactNode][] {
  const time = (at: string | null | undefined) =>
    at == null ? undefined : <time dateTime={at}>{date(Date.parse(at))}</time>;
  const exact = (text: string | null | undefined) =>
    text == null ? undefined : (
      <span className="inline-flex flex-wrap items-center gap-x-1">
        <code className="font-mono text-xs wrap-anywhere">
          <Name text={text} />
        </code>
        <Copy text={text} />
      </span>
    );
  const starter = starterOf(call);
  const facts: [string, ReactNode][] = [
    [say.audit.proposed, time(call.proposed_at)],
    [say.audit.started, time(call.started_at)],
    [say.audit.ended, time(call.completed_at)],
    [say.audit.took, call.latency_ms == null ? undefined : span(call.latency_ms)],
    [say.audit.door, through(call.door)],
    [say.audit.startedBy, starter === undefined ? undefined : <Name key="starter" text={starter} />],
    [say.audit.user, call.user_id == null ? say.call.nobody : <Name key="user" text={call.user_id} />],
    [
      say.audit.run,
      <Link
        key="run"
        to="/runs/$id"
        params={{ id: call.run_id }}
        className="font-mono text-[0.9em] text-accent underline decoration-1 underline-offset-4"
      >
        {call.run_id}
      </Link>,
    ],
    [say.audit.digest, exact(call.digest)],
    [say.audit.policy, exact(call.policy)],
  ];
  return facts.filter(([, value]) => value !== undefined);
}
