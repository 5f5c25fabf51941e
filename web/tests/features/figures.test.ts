import { expect, test } from "vitest";
import type { AuditedCall } from "@/api/client";
import { DAYS, figuresOf } from "@/features/insights/figures";

const NOW = Date.parse("2026-03-20T12:00:00Z");
const ask = { layer: "rule", name: "big-money", said: "ask", text: "" };

/** A call that was asked about `ago` days ago and answered after `wait` seconds. */
function call(ago: number, decision: string | undefined, wait: number, more: Partial<AuditedCall> = {}): AuditedCall {
  const proposed = NOW - ago * 86_400_000;
  const at = new Date(proposed + wait * 1000).toISOString();
  return {
    tool_name: "bash",
    status: decision === "reject" ? "rejected" : "completed",
    proposed_at: new Date(proposed).toISOString(),
    reasons: [ask],
    answers: decision === undefined ? [] : [{ purpose: "approval", decision, at }],
    ...more,
  } as AuditedCall;
}

test("what was asked is counted by day, by what asked and by what came of it", () => {
  const allowed = call(0, undefined, 0, { reasons: [{ layer: "risk", name: "low", said: "allow" }] });
  const found = figuresOf(
    [
      call(0, "approve", 10),
      call(0, "approve", 20),
      call(1, "reject", 300),
      call(2, undefined, 0, { status: "expired", reasons: [{ layer: "risk", name: "high", said: "ask" }] }),
      call(DAYS + 3, "approve", 30),
      allowed,
    ],
    NOW,
  );
  expect(found).toMatchObject({ asked: 5, decided: 4, approved: 3, expired: 1, median: 20_000, p95: 300_000 });
  expect(found.days.length).toBe(DAYS);
  expect(found.days.slice(-3).map(({ asked, approved }) => [asked, approved])).toEqual([
    [1, 0],
    [1, 0],
    [2, 2],
  ]);
  expect(found.askers).toEqual([
    { name: "rule big-money", asked: 4, decided: 4, approved: 3 },
    { name: "risk high", asked: 1, decided: 0, approved: 0 },
  ]);
});

test("where nobody was asked there is nothing to say", () => {
  expect(figuresOf([], NOW)).toMatchObject({ asked: 0, decided: 0, median: undefined, p95: undefined, askers: [] });
});
