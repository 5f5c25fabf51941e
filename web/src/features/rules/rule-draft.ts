// A rule as somebody types it, and as the server is sent it.

import type { Rule, RuleDraft } from "@/api/client";
import { say } from "@/messages";

export const EFFECTS = ["allow", "require_approval", "require_human", "second_person", "deny"] as const;
export type Effect = (typeof EFFECTS)[number];

export type Typed = {
  name: string;
  tool: string;
  server: string;
  effect: Effect;
  priority: string;
  when: string;
  approvals: string;
  approvers: string;
  remember: boolean;
  description: string;
  before: string;
};

export const BLANK: Typed = {
  name: "",
  tool: "",
  server: "",
  effect: "require_approval",
  priority: "",
  when: "",
  approvals: "",
  approvers: "",
  remember: true,
  description: "",
  before: "",
};

export function typed(rule: Rule): Typed {
  return {
    name: rule.name,
    tool: rule.tool,
    server: rule.server ?? "",
    effect: rule.effect ?? "require_approval",
    priority: String(rule.priority),
    when: rule.when ?? "",
    approvals: rule.approvals == null ? "" : String(rule.approvals),
    approvers: rule.approvers.join(", "),
    remember: rule.remember ?? true,
    description: rule.description ?? "",
    before: rule.before ?? "",
  };
}

/** Whether such a rule asks somebody. */
export function asks(effect: Effect): boolean {
  return effect !== "allow" && effect !== "deny";
}

export type Misfits = Partial<Record<keyof Typed, string>>;

/** The rule, or what does not fit. Whether its pattern and its condition are right, the server says. */
export function ruleOf(draft: Typed): { rule: RuleDraft } | { misfits: Misfits } {
  const misfits: Misfits = {
    ...(draft.name.trim() === "" && { name: say.policy.nameNeeded }),
    ...(draft.tool.trim() === "" && { tool: say.policy.toolNeeded }),
    ...(!isWhole(draft.priority) && { priority: say.policy.numberWrong }),
    ...(asks(draft.effect) && !isWhole(draft.approvals) && { approvals: say.policy.numberWrong }),
  };
  if (Object.keys(misfits).length > 0) return { misfits };
  const named = (name: string, value: string) => (value.trim() === "" ? {} : { [name]: value.trim() });
  const counted = (name: string, value: string) => (value.trim() === "" ? {} : { [name]: Number(value) });
  const approvers = draft.approvers.split(",").map((group) => group.trim());
  const groups = approvers.filter((group) => group !== "");
  const how = asks(draft.effect)
    ? {
        ...counted("approvals", draft.approvals),
        ...(groups.length > 0 && { approvers: groups }),
        ...(!draft.remember && { remember: false }),
      }
    : {};
  return {
    rule: {
      tool: draft.tool.trim(),
      effect: draft.effect,
      ...named("server", draft.server),
      ...named("when", draft.when),
      ...named("description", draft.description),
      ...named("before", draft.before),
      ...counted("priority", draft.priority),
      ...how,
    },
  };
}

function isWhole(text: string): boolean {
  return /^\s*-?\d{0,15}\s*$/.test(text) && text.trim() !== "-";
}
