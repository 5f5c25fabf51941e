// A call of the record, as the policy is asked about it.

import type { AuditedCall, CheckedCall } from "./client";
import { objectOf } from "./json";

/** The record does not say the folder. */
export function checkedCall(call: AuditedCall): CheckedCall {
  const cut = call.tool_name.indexOf("/");
  return {
    ...(cut > 0 && { server: call.tool_name.slice(0, cut) }),
    tool: call.tool_name.slice(cut + 1),
    args: objectOf(call.input_json) ?? {},
    ...(call.user_id != null && { user_id: call.user_id }),
    agent: call.agent,
  };
}
