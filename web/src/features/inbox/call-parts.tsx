// The parts of a card that are about a call: what it touches, how dangerous it is, who asks, and exactly what it is.

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { About, Call, Interaction } from "@/api/client";
import { fill, say } from "@/messages";
import { Badge } from "@/ui/badge";
import { Facts } from "@/ui/card";
import { Code, Copy, HiddenNotice, Json } from "@/ui/code";
import { Say } from "@/ui/say";
import { Name } from "@/ui/seen";
import { Ago } from "@/ui/time";
import { commandOf, longArguments, toolName } from "./effect";
import { RiskBadge } from "./risk-badge";

/** The tool, its server and its folder. */
export function Where({ call }: { call: Call }) {
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

export function Effect({ call }: { call: Call }) {
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

/** How dangerous it is, and what its tool is able to do. */
export function Danger({ call }: { call: Call }) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <RiskBadge risk={call.risk} />
      {call.capabilities.map((capability) => (
        <Badge key={capability} tone="neutral">
          <span className="sr-only">{say.call.can} </span>
          <Name text={capability} />
        </Badge>
      ))}
    </div>
  );
}

export function Who({ interaction, chain }: { interaction: Interaction; chain: About["chain"] }) {
  const { asked_by, run_id, created_at } = interaction;
  const role: [string, ReactNode][] =
    asked_by.role == null ? [] : [[say.call.role, <Name key="role" text={asked_by.role} />]];
  // From whoever began to the one that asks.
  const above: [string, ReactNode][] =
    chain.length < 2
      ? []
      : [[say.about.chain, <Name key="chain" text={chain.map(({ agent }) => agent).join(" → ")} />]];
  return (
    <Facts
      facts={[
        [say.call.agent, <Name key="agent" text={asked_by.agent} />],
        ...role,
        ...above,
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
export function Exact({ call }: { call: Call }) {
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
