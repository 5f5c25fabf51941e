// One call that waits, always in the same order: what will happen, what it touches, how dangerous it is, why it is asked
// about, who asks, the exact call; then the answers.

import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import type { Call, Interaction } from "@/api/client";
import { fill, say } from "@/messages";
import { Badge } from "@/ui/badge";
import { Card, Facts, Part } from "@/ui/card";
import { Code, Copy, HiddenNotice, Json } from "@/ui/code";
import { Failure, Loading } from "@/ui/notice";
import { Say } from "@/ui/say";
import { Name } from "@/ui/seen";
import { Ago } from "@/ui/time";
import { AnswerBar } from "./answer-bar";
import { commandOf, longArguments, toolName, willDo } from "./effect";
import { useInteraction } from "./interaction";
import { Reasons } from "./reasons";
import { RiskBadge } from "./risk-badge";

type Props = {
  id: string;
  known?: Interaction;
  /** Whether it is what the page is about, and so takes the focus. */
  alone?: boolean;
  missing?: ReactNode;
};

export function ApprovalCard({ id, known, alone = false, missing }: Props) {
  const { data, error, refetch } = useInteraction(id, known);
  if (data === undefined) {
    if (error === null) return <Loading />;
    const gone = "status" in error && error.status === 404;
    if (gone && missing) return missing;
    return <Failure title={say.inbox.detailFailed} error={error} onRetry={refetch} />;
  }
  // Another question is another card: nothing typed or half pressed moves over to it.
  return <Question key={id} interaction={data} alone={alone} />;
}

function Question({ interaction, alone }: { interaction: Interaction; alone: boolean }) {
  const { call } = interaction;
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (alone) title.current?.focus({ preventScroll: true });
  }, [alone]);
  return (
    <article data-interaction={interaction.id} data-status={interaction.status}>
      <Card>
        <div className="space-y-6 p-4 sm:p-6">
          <header>
            <h2
              ref={title}
              tabIndex={-1}
              className="text-xl font-semibold tracking-tight text-balance wrap-anywhere sm:text-2xl"
            >
              <Sentence interaction={interaction} />
            </h2>
            <Where call={call} />
          </header>
          <Effect call={call} />
          <div className="flex flex-wrap items-center gap-2">
            <RiskBadge risk={call.risk} />
            {call.capabilities.map((capability) => (
              <Badge key={capability} tone="neutral">
                <span className="sr-only">{say.call.can} </span>
                <Name text={capability} />
              </Badge>
            ))}
          </div>
          <Part title={say.call.why}>
            <Reasons reasons={interaction.reasons} />
          </Part>
          <Part title={say.call.who}>
            <Who interaction={interaction} />
          </Part>
          <Part title={say.call.exact}>
            <Exact call={call} />
          </Part>
        </div>
        <AnswerBar interaction={interaction} place={alone ? "in-sight" : "at-end"} />
      </Card>
    </article>
  );
}

function Sentence({ interaction }: { interaction: Interaction }) {
  const { call, asked_by } = interaction;
  const tool = <Name text={call.tool} />;
  return <Say text={willDo(call)} values={{ agent: <Name text={asked_by.agent} />, tool }} />;
}

/** The tool, its server and its folder. */
function Where({ call }: { call: Call }) {
  return (
    <p className="mt-1 flex flex-wrap gap-x-1.5 text-sm text-soft wrap-anywhere">
      <code className="font-mono">
        <Name text={call.tool} />
      </code>
      {call.server != null && (
        <span>
          <Say text={say.call.on} values={{ server: <Name text={call.server} /> }} />
        </span>
      )}
      {call.cwd != null && (
        <span>
          <Say
            text={say.call.inFolder}
            values={{
              cwd: (
                <code className="font-mono">
                  <Name text={call.cwd} />
                </code>
              ),
            }}
          />
        </span>
      )}
    </p>
  );
}

function Effect({ call }: { call: Call }) {
  const command = commandOf(call);
  const long = longArguments(call);
  return (
    <div className="space-y-3">
      {/* The arguments hold all that the resource does: what hides is counted once. */}
      <HiddenNotice texts={[toolName(call), call.cwd ?? "", strings(call.args).join("")]} />
      {command !== undefined ? (
        <Code large text={command} label={say.call.command} />
      ) : call.resource != null ? (
        <Code large text={call.resource} label={say.call.effect} />
      ) : (
        <p className="text-sm text-soft">{say.call.nothing}</p>
      )}
      {long.map(([name, text]) => (
        <Code key={name} text={text} label={fill(say.call.argument, { name })} />
      ))}
    </div>
  );
}

function Who({ interaction }: { interaction: Interaction }) {
  const { asked_by, run_id, created_at } = interaction;
  const role: [string, ReactNode][] =
    asked_by.role == null ? [] : [[say.call.role, <Name key="role" text={asked_by.role} />]];
  return (
    <Facts
      facts={[
        [say.call.agent, <Name key="agent" text={asked_by.agent} />],
        ...role,
        [say.call.onBehalf, asked_by.user_id == null ? say.call.nobody : <Name key="user" text={asked_by.user_id} />],
        [
          say.call.run,
          <Link
            key="run"
            to="/runs/$id"
            params={{ id: run_id }}
            className="font-mono text-[0.9em] text-accent underline decoration-1 underline-offset-4"
          >
            {run_id}
          </Link>,
        ],
        [say.call.asked, <Ago key="asked" at={created_at} />],
      ]}
    />
  );
}

/** What an approval is bound to. */
function Exact({ call }: { call: Call }) {
  const { server, tool, args, cwd } = call;
  const exact = { ...(server != null && { server }), tool, args, ...(cwd != null && { cwd }) };
  return (
    <div className="space-y-2">
      <Json value={exact} label="JSON" />
      <p className="text-xs text-soft">{say.call.digestText}</p>
      <p className="flex flex-wrap items-center gap-x-2 text-xs">
        <span className="text-soft">{say.call.digest}</span>
        <code className="font-mono wrap-anywhere">{call.digest}</code>
        <Copy text={call.digest} />
      </p>
    </div>
  );
}

/** All names and texts in a value, however deep. */
function strings(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [...(Array.isArray(value) ? [] : [name]), ...strings(inner)]);
}
