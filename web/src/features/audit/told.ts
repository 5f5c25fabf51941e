// The parts of an audited call that the generated types leave open, read with care.

import type { AuditedCall, Reason } from "@/api/client";

export type Answered = {
  who: string;
  kind: string;
  decision: string;
  door: string | undefined;
  at: string | undefined;
  reason: string | undefined;
};

export function answersOf(call: AuditedCall): Answered[] {
  return call.answers.map((answer) => ({
    who: word(inside(answer.by, "name")) ?? "?",
    kind: word(inside(answer.by, "kind")) ?? "",
    decision: word(answer.decision) ?? "",
    door: word(inside(answer.by, "door")),
    at: word(answer.at),
    reason: word(answer.reason),
  }));
}

export function reasonsOf(call: AuditedCall): Reason[] {
  return call.reasons.map((reason) => ({
    layer: word(reason.layer) ?? "?",
    said: word(reason.said) ?? "silent",
    name: word(reason.name) ?? null,
    text: word(reason.text) ?? "",
  }));
}

export function starterOf(call: AuditedCall): string | undefined {
  return word(call.started_by.name);
}

/** A JSON text as what it says; a text that is none stays what it is. */
export function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

/** The arguments in a line: the one that says most, or all of them. */
export function briefly(call: AuditedCall): string {
  const args = parsed(call.input_json);
  const telling = ["command", "file_path", "path", "url", "sql", "title"].map((name) => inside(args, name));
  return word(telling.find((value) => typeof value === "string" && value !== "")) ?? call.input_json;
}

function inside(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function word(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
