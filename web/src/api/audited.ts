// A call of the record, as the policy is asked about it.

import type { AuditedCall, CheckedCall } from "./client";

/** The record does not say the folder. */
export function checkedCall(call: AuditedCall): CheckedCall {
  const cut = call.tool_name.indexOf("/");
  return {
    ...(cut > 0 && { server: call.tool_name.slice(0, cut) }),
    tool: call.tool_name.slice(cut + 1),
    args: argsOf(call.input_json),
    ...(call.user_id != null && { user_id: call.user_id }),
    agent: call.agent,
  };
}

function argsOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}
