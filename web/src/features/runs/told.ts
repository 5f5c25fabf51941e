// What an event says, for people: its line, and the calls that later events only name.
//
// The shape of an event's data is not part of the generated types, and a newer server may send kinds that we do not know:
// everything here is read with care, and an unknown kind is a line like any other.

import type { RunEvent } from "@/api/client";
import { fill, say, span } from "@/messages";

export type Proposed = {
  id: string;
  name: string;
  brief: string;
  /** What was last asked about it. */
  purpose?: string;
};

/** The calls that `events` propose, by their id and by that of the question about them. */
export function proposals(events: RunEvent[]): Map<string, Proposed> {
  const found = new Map<string, Proposed>();
  for (const event of events) {
    for (const call of proposedIn(event)) found.set(call.id, call);
    const asked = found.get(word(at(event.data, "interaction_request", "tool_call_id")));
    if (asked) {
      asked.purpose = word(at(event.data, "interaction_request", "purpose"));
      found.set(word(at(event.data, "interaction_request", "id")), { ...asked });
    }
  }
  return found;
}

export function proposedIn(event: RunEvent): Proposed[] {
  const { calls } = event.data;
  if (event.type !== "step_completed" || !Array.isArray(calls)) return [];
  return calls.map((call: Record<string, unknown>) => ({
    id: String(call.call_id),
    name: String(call.name),
    brief: brief(call.args ?? call.arguments),
  }));
}

/** Arguments in a line: the one that says most, or all of them as JSON. */
function brief(args: unknown): string {
  if (typeof args === "string") return args;
  if (typeof args !== "object" || args === null) return "";
  const named = args as Record<string, unknown>;
  const telling = ["command", "file_path", "path", "url"].map((name) => named[name]);
  return telling.find((value) => typeof value === "string") ?? JSON.stringify(args);
}

export type Tone = "plain" | "calm" | "info" | "warn" | "stop";

/** `text` is one of the catalogue's, with `values` to go in. */
export type Line = { text: string; values: Record<string, string>; tone: Tone; aside?: string };

export function lineOf(event: RunEvent, agent: string, calls: Map<string, Proposed>): Line {
  const { data } = event;
  const call = calls.get(word(data.call_id) || word(data.interaction_request_id));
  const tool = call?.name ?? (word(at(data, "interaction_request", "tool_name")) || say.event.aTool);
  const line = (text: string, tone: Tone = "plain", values: Record<string, string> = {}): Line => ({
    text,
    tone,
    values: { agent, tool, ...values },
  });
  switch (event.type) {
    case "run_started": {
      const started = data.kind === "call" ? say.outside.started : say.event.run_started;
      return line(started, "plain", { who: word(at(data, "started_by", "name")) || say.event.somebody });
    }
    case "step_completed": {
      const names = proposedIn(event).map((each) => each.name);
      return names.length === 0
        ? line(say.event.step_completed)
        : line(say.event.step_proposed, "plain", { calls: [...new Set(names)].join(", ") });
    }
    case "tool_judged":
      return judged(word(data.verdict), line);
    case "interaction_request":
      return requested(word(at(data, "interaction_request", "purpose")), line);
    case "reminder":
      return line(say.event.reminder, "warn");
    case "interaction_response": {
      const given = responded(data, call?.purpose, line);
      return data.settled === false ? { ...given, aside: say.event.response_more } : given;
    }
    case "wait_completed":
      if (call?.purpose === "report" && data.outcome === "came") return line(say.outside.reported, "info");
      if (call?.purpose === "report" && data.outcome === "expired") return line(say.outside.unreported, "warn");
      if (data.outcome === "expired") return line(say.event.wait_expired, "warn");
      return line(data.outcome === "cancelled" ? say.event.wait_cancelled : say.event.wait_answered);
    case "execution_suspended":
      return line(data.wait_type === "report" ? say.outside.suspended : say.event.execution_suspended);
    case "execution_resumed":
      return line(say.event.execution_resumed);
    case "tool_started":
      return line(say.event.tool_started, "info");
    case "tool_paused":
      return line(say.event.tool_paused, "info");
    case "tool_held":
      return line(say.event.tool_held, "warn");
    case "tool_lost":
      return data.again === true ? line(say.event.tool_lost_again, "info") : line(say.event.tool_lost, "warn");
    case "tool_finished":
      return finished(data, call?.purpose, line);
    case "message_received": {
      const written = line(say.event.message_received, "info", {
        who: word(at(data, "by", "name")) || say.event.somebody,
      });
      const channel = word(data.channel);
      return channel ? { ...written, aside: fill(say.event.message_channel, { channel }) } : written;
    }
    case "permissions_narrowed":
      return line(say.event.permissions_narrowed, "warn", {
        who: word(at(data, "by", "name")) || say.event.somebody,
      });
    case "run_completed":
      return line(say.event.run_completed, "calm");
    case "run_failed":
      return line(say.event.run_failed, "stop", { code: word(at(data, "error", "code")) });
    case "run_cancelled":
      return line(say.event.run_cancelled, "warn", { who: word(at(data, "by", "name")) || say.event.somebody });
    case "run_set_aside":
      return line(say.event.run_set_aside, "stop");
    default:
      return line(say.event.other, "plain", { type: event.type });
  }
}

type MakeLine = (text: string, tone?: Tone, values?: Record<string, string>) => Line;

function judged(verdict: string, line: MakeLine): Line {
  if (verdict === "allow") return line(say.event.judged_allow, "calm");
  if (verdict === "deny") return line(say.event.judged_deny, "stop");
  return line(say.event.judged_ask, "warn");
}

function requested(purpose: string, line: MakeLine): Line {
  if (purpose === "report") return line(say.outside.request, "info");
  if (purpose === "question") return line(say.event.request_question, "warn");
  if (purpose === "result_review") return line(say.event.request_result_review, "warn");
  if (purpose === "uncertain_outcome") return line(say.event.request_uncertain_outcome, "warn");
  return line(say.event.interaction_request, "warn");
}

function responded(data: Record<string, unknown>, purpose: string | undefined, line: MakeLine): Line {
  const who = { who: word(at(data, "response", "user_id")) || say.event.somebody };
  const decision = word(at(data, "response", "decision"));
  switch (decision) {
    case "approve":
      return line(say.event.response_approve, "calm", who);
    case "answer":
      return line(say.event.response_answer, "calm", who);
    case "release":
      return line(say.event.response_release, "calm", who);
    case "replace":
      return line(say.event.response_replace, "info", who);
    case "happened":
      return line(say.event.response_happened, "calm", who);
    case "run_again":
      return line(say.event.response_run_again, "info", who);
    case "give_up":
      return line(say.event.response_give_up, "warn", who);
    case "reject":
      if (purpose === "question") return line(say.event.response_decline, "stop", who);
      if (purpose === "result_review") return line(say.event.response_withhold, "stop", who);
      return line(say.event.response_reject, "stop", who);
    default:
      return line(say.event.response_other, "plain", { ...who, decision });
  }
}

/** `purpose` is what was last asked about the call: a result that was withheld is not a call that was not made. */
function finished(data: Record<string, unknown>, purpose: string | undefined, line: MakeLine): Line {
  const withheld = line(say.event.finished_withheld, "stop");
  const unanswered = line(say.event.finished_unanswered, "warn");
  const lines: Record<string, Line> = {
    completed: line(say.event.finished_completed, "calm"),
    error: line(say.event.finished_error, "stop"),
    denied: line(say.event.finished_denied, "stop"),
    rejected: line(say.event.finished_rejected, "stop"),
    expired: line(say.event.finished_expired, "warn"),
    cancelled: line(say.event.finished_cancelled, "warn"),
  };
  if (purpose === "result_review") Object.assign(lines, { rejected: withheld, expired: withheld, cancelled: withheld });
  if (purpose === "question") Object.assign(lines, { rejected: unanswered, expired: unanswered });
  const found = lines[word(data.status)] ?? line(say.event.finished_unknown, "warn");
  return typeof data.latency_ms === "number"
    ? { ...found, aside: fill(say.event.took, { time: span(data.latency_ms) }) }
    : found;
}

/** Why the policy said what it said: the last layer that spoke decided. */
export function decidingReason(event: RunEvent): string | undefined {
  const { reasons } = event.data;
  if (event.type !== "tool_judged" || !Array.isArray(reasons)) return undefined;
  const spoke = reasons.filter((reason: Record<string, unknown>) => reason.said !== "silent");
  return word(at(spoke.at(-1), "text")) || undefined;
}

/** The text that belongs to an event: what was said, what a tool gave, what went wrong. */
export function textOf(event: RunEvent): string | undefined {
  const { data } = event;
  switch (event.type) {
    case "step_completed":
      return word(data.text) || undefined;
    case "interaction_response":
      return word(at(data, "response", "reason")) || word(at(data, "response", "text")) || undefined;
    case "message_received":
      return word(data.text) || undefined;
    case "run_cancelled":
      return word(data.reason) || undefined;
    case "run_failed":
    case "run_set_aside":
      return word(at(data, "error", "message")) || undefined;
    default:
      return undefined;
  }
}

/** What a tool gave. */
export function outputOf(event: RunEvent): string | undefined {
  return event.type === "tool_finished" ? word(event.data.output) || undefined : undefined;
}

/** The ids of questions that are settled. */
export function settledIn(events: RunEvent[]): Set<string> {
  const ends = events.filter(
    ({ type, data }) => type === "wait_completed" || (type === "interaction_response" && data.settled !== false),
  );
  return new Set(ends.map(({ data }) => word(data.interaction_request_id)));
}

function at(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>)[key] : undefined),
    value,
  );
}

function word(value: unknown): string {
  return typeof value === "string" ? value : "";
}
