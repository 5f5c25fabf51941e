// What the record says about asking: how often, how long people took, and which rules only ever got a yes.

import type { AuditedCall } from "@/api/client";

export type Day = { day: string; asked: number; approved: number };
export type Asker = { name: string; asked: number; decided: number; approved: number };

export type Figures = {
  asked: number;
  decided: number;
  approved: number;
  expired: number;
  /** In milliseconds; undefined where nobody has answered yet. */
  median: number | undefined;
  p95: number | undefined;
  days: Day[];
  /** Whatever asks most comes first. */
  askers: Asker[];
  /** What was approved each time it was asked. */
  always: Always[];
};

/** A call that was asked about often, and every time somebody said yes. */
export type Always = {
  digest: string;
  call: AuditedCall;
  count: number;
  /** The rule that asks about it; empty where none does. */
  before: string;
};

const DAY = 86_400_000;
/** How many days are drawn. */
export const DAYS = 14;
/** How many of those that ask are listed. */
const MOST = 10;

/** From so many answers on, all of them yes, a rule may be worth making. */
export const OFTEN = 3;

export function figuresOf(calls: AuditedCall[], now: number): Figures {
  const asked = calls.filter(wasAsked);
  const given = asked.map((call) => ({ call, decision: decisionOn(call) }));
  const approved = given.filter(({ decision }) => decision?.yes);
  const waits = given
    .flatMap(({ decision }) => (decision === undefined ? [] : [decision.wait]))
    .toSorted((a, b) => a - b);
  return {
    asked: asked.length,
    decided: waits.length,
    approved: approved.length,
    expired: asked.filter(({ status }) => status === "expired").length,
    median: at(waits, 0.5),
    p95: at(waits, 0.95),
    days: daysOf(given, now),
    askers: askersOf(given),
    always: alwaysOf(given),
  };
}

type Given = { call: AuditedCall; decision: Decision | undefined };
type Decision = { yes: boolean; wait: number };

function wasAsked(call: AuditedCall): boolean {
  return call.status === "expired" || approvals(call).length > 0 || call.reasons.some(({ said }) => said === "ask");
}

function approvals({ answers }: AuditedCall) {
  return answers.filter(({ purpose }) => purpose === "approval");
}

/** The last answer settles it. */
function decisionOn(call: AuditedCall): Decision | undefined {
  const last = approvals(call).at(-1);
  if (last === undefined) return undefined;
  const wait = Date.parse(String(last.at)) - Date.parse(call.proposed_at);
  return { yes: last.decision === "approve" || last.decision === "edit", wait: Math.max(0, wait) };
}

/** The nearest rank. */
function at(sorted: number[], share: number): number | undefined {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}

/** The reader's own days, up to today. */
function daysOf(given: Given[], now: number): Day[] {
  const days = Array.from({ length: DAYS }, (_, back) => dayOf(now - (DAYS - 1 - back) * DAY));
  const found = new Map(days.map((day) => [day, { day, asked: 0, approved: 0 }]));
  for (const { call, decision } of given) {
    const day = found.get(dayOf(Date.parse(call.proposed_at)));
    if (day === undefined) continue;
    day.asked += 1;
    if (decision?.yes) day.approved += 1;
  }
  return [...found.values()];
}

function dayOf(time: number): string {
  const date = new Date(time);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, "0"))
    .join("-");
}

function askersOf(given: Given[]): Asker[] {
  const found = new Map<string, Asker>();
  for (const { call, decision } of given) {
    const reason = call.reasons.findLast(({ said }) => said === "ask");
    if (reason === undefined) continue;
    const name = [reason.layer, reason.name].filter((word) => typeof word === "string").join(" ");
    const asker = found.get(name) ?? { name, asked: 0, decided: 0, approved: 0 };
    asker.asked += 1;
    if (decision !== undefined) asker.decided += 1;
    if (decision?.yes) asker.approved += 1;
    found.set(name, asker);
  }
  return [...found.values()].toSorted((a, b) => b.asked - a.asked || a.name.localeCompare(b.name)).slice(0, MOST);
}

/** By digest: the very same call, and no other. */
function alwaysOf(given: Given[]): Always[] {
  const groups = new Map<string, Given[]>();
  for (const each of given) {
    const { digest } = each.call;
    if (digest != null) groups.set(digest, [...(groups.get(digest) ?? []), each]);
  }
  const found = [...groups].flatMap(([digest, group]): Always[] => {
    const decided = group.filter(({ decision }) => decision !== undefined);
    const [first] = decided;
    if (first === undefined || decided.length < OFTEN || decided.some(({ decision }) => !decision?.yes)) return [];
    // Edited, it was another call that was made.
    if (decided.some(({ call }) => approvals(call).some((answer) => answer.decision === "edit"))) return [];
    const asks = first.call.reasons.findLast(({ said }) => said === "ask");
    const before = asks?.layer === "rule" && typeof asks.name === "string" ? asks.name : "";
    return [{ digest, call: first.call, count: decided.length, before }];
  });
  return found.toSorted((a, b) => b.count - a.count || a.digest.localeCompare(b.digest)).slice(0, MOST);
}
