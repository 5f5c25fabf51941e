// The one client of the server's API: typed by its OpenAPI document, with errors as `Problem`s.

import createClient from "openapi-fetch";
import { fill, say } from "@/messages";
import { setClock } from "./clock";
import type { components, paths } from "./schema";

type Schemas = components["schemas"];
export type About = Schemas["AboutBody"];
export type Agent = Schemas["AgentBody"];
export type Answer = Schemas["AnswerBody"];
export type AuditedCall = Schemas["AuditedCall"];
export type AuditReport = Schemas["AuditReport"];
export type Call = Schemas["CallBody"];
export type CheckedCall = Schemas["CheckBody"];
export type Field = Schemas["FieldBody"];
export type Form = Schemas["FormBody"];
export type Grant = Schemas["GrantBody"];
export type Interaction = Schemas["InteractionBody"];
export type Part = Schemas["PartBody"];
export type Preview = Schemas["PreviewBody"];
export type Permissions = Schemas["PermissionsBody"];
export type Principal = Schemas["PrincipalBody"];
export type Reason = Schemas["ReasonBody"];
export type Respond = Schemas["RespondBody"];
export type Run = Schemas["RunBody"];
export type RunEvent = Schemas["EventBody"];
export type DraftChange = Schemas["DraftChange"];
export type Capability = Schemas["CapabilityBody"];
export type CapabilityDraft = Schemas["CapabilityDraft"];
export type Override = Schemas["OverrideBody"];
export type OverrideDraft = Schemas["OverrideDraft"];
export type Role = Schemas["RoleBody"];
export type RoleDraft = Schemas["RoleDraft"];
export type DryRun = Schemas["DryRunResult"];
export type PolicyChange = Schemas["PolicyChangeBody"];
export type Rule = Schemas["RuleBody"];
export type RuleDraft = Schemas["RuleDraft"];
export type Wrong = Schemas["WrongBody"];
export type Token = Schemas["TokenBody"];
export type NewToken = Schemas["NewTokenBody"];
export type MadeToken = Schemas["MadeTokenBody"];
export type Verdict = Schemas["VerdictBody"];

// What also comes as a stream is read as one elsewhere.
const client = createClient<paths, "application/json">({
  baseUrl: "/api",
  // Looked up with each request, so that a test can stand in for the network.
  fetch: (request) => fetch(request),
});

client.use({
  onResponse({ response }) {
    setClock(response.headers.get("date"));
  },
});

export const { GET: get, POST: post, PUT: put, DELETE: remove } = client;

/** What the server says went wrong; status 0 where it said nothing at all. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  /** The answer that stands, where one does. */
  readonly answer: Answer | undefined;
  /** What is wrong with a policy that was wanted, and where. */
  readonly wrong: Wrong[];

  constructor(status: number, code: string, detail: string, answer?: Answer, wrong: Wrong[] = []) {
    super(detail);
    this.status = status;
    this.code = code;
    this.answer = answer;
    this.wrong = wrong;
  }

  static from(status: number, body: unknown): Problem {
    if (typeof body === "object" && body !== null && "detail" in body && "code" in body) {
      const answer = "answer" in body ? (body.answer as Answer) : undefined;
      const wrong = body.code === "BAD_POLICY" && "problems" in body ? (body.problems as Wrong[]) : [];
      return new Problem(status, String(body.code), String(body.detail), answer, wrong);
    }
    return new Problem(status, "UNKNOWN", fill(say.problem.unknown, { status }));
  }

  static network(): Problem {
    return new Problem(0, "NETWORK", say.problem.network);
  }
}

type Outcome<T> = { data?: T; error?: unknown; response: Response };

/** What a request brought, or its `Problem`. */
export async function read<T>(request: Promise<Outcome<T>>): Promise<T> {
  return (await readTagged(request)).data;
}

/** The same, with the version that it is of. */
export async function readTagged<T>(request: Promise<Outcome<T>>): Promise<{ data: T; tag: string | undefined }> {
  let outcome: Outcome<T>;
  try {
    outcome = await request;
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === "AbortError") throw cause;
    throw Problem.network();
  }
  if (outcome.response.ok) {
    return { data: outcome.data as T, tag: outcome.response.headers.get("etag") ?? undefined };
  }
  throw Problem.from(outcome.response.status, outcome.error);
}
