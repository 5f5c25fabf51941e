// A capability, an override or a role as somebody types it, and as the server is sent it.

import type { CapabilityDraft, OverrideDraft, RoleDraft } from "@/api/client";
import { say } from "@/messages";
import { asks, type Effect } from "./rule-draft";
import type { Kind, Thing, ThingWish } from "./things";

export const EXECUTIONS = ["unsaid", "auto", "ask-once", "ask-always"] as const;
export const RESULTS = ["unsaid", "never", "on-error", "always"] as const;

export type Typed = {
  name: string;
  user: string;
  effect: Effect;
  approvals: string;
  approvers: string;
  remember: boolean;
  execution: (typeof EXECUTIONS)[number];
  result: (typeof RESULTS)[number];
  description: string;
  allowed: string;
  denied: string;
};

export const BLANK: Typed = {
  name: "",
  user: "",
  effect: "require_approval",
  approvals: "",
  approvers: "",
  remember: true,
  execution: "unsaid",
  result: "unsaid",
  description: "",
  allowed: "",
  denied: "",
};

export function typedThing(thing: Thing): Typed {
  const { name, user = "" } = thing;
  switch (thing.kind) {
    case "capability": {
      const { effect, approvals, approvers, remember } = thing.of;
      const many = approvals == null ? "" : String(approvals);
      return { ...BLANK, name, effect, approvals: many, approvers: approvers.join(", "), remember: remember ?? true };
    }
    case "override":
      return {
        ...BLANK,
        name,
        user,
        execution: thing.of.execution ?? "unsaid",
        result: thing.of.result ?? "unsaid",
      };
    case "role": {
      const { description, allowed_tools, denied_tools } = thing.of;
      const list = (tools: string[] | null | undefined) => (tools ?? []).join(", ");
      return {
        ...BLANK,
        name,
        description: description ?? "",
        allowed: list(allowed_tools),
        denied: list(denied_tools),
      };
    }
  }
}

export type Misfits = Partial<Record<keyof Typed, string>>;

export function misfitsOf(kind: Kind, draft: Typed): Misfits {
  const counts = kind === "capability" && asks(draft.effect);
  return {
    ...(draft.name.trim() === "" && { name: kind === "override" ? say.policy.toolNeeded : say.policy.nameNeeded }),
    ...(counts && !/^\s*\d{0,9}\s*$/.test(draft.approvals) && { approvals: say.policy.numberWrong }),
  };
}

/** What the server is to be asked for. */
export function wishOf(kind: Kind, draft: Typed, reason: string): ThingWish {
  const shared = { kind: "put" as const, name: draft.name.trim(), reason: reason.trim() };
  const user = draft.user.trim() === "" ? {} : { user: draft.user.trim() };
  switch (kind) {
    case "capability":
      return { ...shared, thing: kind, body: capability(draft) };
    case "override":
      return { ...shared, ...user, thing: kind, body: override(draft) };
    case "role":
      return { ...shared, thing: kind, body: role(draft) };
  }
}

function capability(draft: Typed): CapabilityDraft {
  const groups = listOf(draft.approvers);
  if (!asks(draft.effect)) return { effect: draft.effect };
  return {
    effect: draft.effect,
    ...(draft.approvals.trim() !== "" && { approvals: Number(draft.approvals) }),
    ...(groups.length > 0 && { approvers: groups }),
    ...(!draft.remember && { remember: false }),
  };
}

function override({ execution, result }: Typed): OverrideDraft {
  return { ...(execution !== "unsaid" && { execution }), ...(result !== "unsaid" && { result }) };
}

function role({ description, allowed, denied }: Typed): RoleDraft {
  const [only, never] = [listOf(allowed), listOf(denied)];
  return {
    ...(description.trim() !== "" && { description: description.trim() }),
    ...(only.length > 0 && { allowed_tools: only }),
    ...(never.length > 0 && { denied_tools: never }),
  };
}

export function listOf(text: string): string[] {
  return text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}
