// A call as somebody types it, and as the policy is asked about it.

import type { CheckedCall } from "@/api/client";
import { isObject, objectOf } from "@/api/json";
import { fill, say } from "@/messages";

export type Draft = { tool: string; server: string; args: string; user: string; agent: string; cwd: string };

export const EMPTY: Draft = { tool: "", server: "", args: "{}", user: "", agent: "", cwd: "" };

export function draftOf(call: CheckedCall): Draft {
  return {
    tool: call.tool,
    server: call.server ?? "",
    args: JSON.stringify(call.args ?? {}, null, 2),
    user: call.user_id ?? "",
    agent: call.agent ?? "",
    cwd: call.cwd ?? "",
  };
}

const TEXTS = ["tool", "server", "user_id", "agent", "cwd"];

/** The call that a text is, as a question shows it and as the API takes it. Arguments alone are none. */
export function wholeCall(text: string): CheckedCall | undefined {
  const value = objectOf(text);
  if (value === undefined || typeof value.tool !== "string" || !isObject(value.args)) return undefined;
  const fits = ([name, part]: [string, unknown]) =>
    name === "args" || (TEXTS.includes(name) && typeof part === "string");
  return Object.entries(value).every(fits) ? (value as CheckedCall) : undefined;
}

export type Misfits = Partial<Record<keyof Draft, string>>;

/** The call, or what does not fit. Duplicate names and the like are the server's to refuse: it is sent what JSON says. */
export function callOf(draft: Draft): { call: CheckedCall } | { misfits: Misfits } {
  const args = argsOf(draft.args);
  const misfits: Misfits = {
    ...(draft.tool.trim() === "" && { tool: say.rules.toolNeeded }),
    ...("wrong" in args && { args: args.wrong }),
  };
  if ("wrong" in args || Object.keys(misfits).length > 0) return { misfits };
  const named = (name: string, value: string) => (value.trim() === "" ? {} : { [name]: value.trim() });
  return {
    call: {
      tool: draft.tool.trim(),
      args: args.value,
      ...named("server", draft.server),
      ...named("user_id", draft.user),
      ...named("agent", draft.agent),
      ...named("cwd", draft.cwd),
    },
  };
}

function argsOf(text: string): { value: Record<string, unknown> } | { wrong: string } {
  if (text.trim() === "") return { value: {} };
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return { value };
    return { wrong: fill(say.rules.argsNoObject, { example: '{"command": "npm run lint"}' }) };
  } catch (cause) {
    return { wrong: fill(say.rules.argsWrong, { why: cause instanceof Error ? cause.message : "" }) };
  }
}
