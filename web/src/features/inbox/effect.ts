// What a call will do, drawn from the call alone: never from what the agent says about it.

import type { Call } from "@/api/client";
import { say } from "@/messages";

/** The sentence for it. */
export function willDo(call: Call): string {
  const will: Record<string, string> = say.call.will;
  const known = call.capabilities.find((capability) => Object.hasOwn(will, capability) && capability !== "other");
  return will[known ?? "other"] ?? say.call.will.other;
}

/** The command line, if it is a command. */
export function commandOf(call: Call): string | undefined {
  const { command } = call.args;
  return call.capabilities.includes("shell") && typeof command === "string" ? command : undefined;
}

/** What it does in a line, for lists. */
export function briefly(call: Call): string {
  return commandOf(call) ?? insideOf(call) ?? toolName(call);
}

/** The tool with its server. */
export function toolName(call: Call): string {
  return call.server == null ? call.tool : `${call.server}/${call.tool}`;
}

/** Arguments of several lines, which JSON makes hard to read. */
export function longArguments(call: Call): [name: string, text: string][] {
  const shown = commandOf(call) === undefined ? undefined : "command";
  return Object.entries(call.args).filter(
    (entry): entry is [string, string] => entry[0] !== shown && typeof entry[1] === "string" && entry[1].includes("\n"),
  );
}

/** `what` of the resource `tool(what)`. */
function insideOf(call: Call): string | undefined {
  const start = `${toolName(call)}(`;
  const { resource } = call;
  return resource?.startsWith(start) && resource.endsWith(")")
    ? resource.slice(start.length, -1)
    : (resource ?? undefined);
}
