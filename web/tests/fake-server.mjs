// A stand-in for the server that speaks its documented API from memory: for tests of parts of the page
// and of troubles that a real one is not easily brought into.
import { createHash, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { judge, lets, Rulebook, someCalls, WHOLE } from "./fake-policy.mjs";

const HOUR = 3_600_000;
const soon = (milliseconds) => new Date(Date.now() + milliseconds).toISOString();
const id = (prefix) => `${prefix}_${randomUUID().replaceAll("-", "")}`;

const DECISIONS = {
  approval: ["approve", "edit", "reject", "answer"],
  result_review: ["release", "replace", "reject"],
  question: ["answer", "reject"],
  uncertain_outcome: ["happened", "run_again", "give_up"],
};

const OF_INBOX = ["interaction_request", "interaction_response", "wait_completed"];

export const AGENTS = [
  {
    name: "assistant",
    description: "Works on the shop's code",
    model: "gpt",
    script: false,
    tools: ["file_read", "file_write", "bash"],
  },
  { name: "demo", description: "Shows what Countersign does", model: "demo", script: true, tools: null },
];

export class Fake {
  people = {
    cs_user_kim: { kind: "user", name: "kim", role: "approver", groups: [], acts_for: null },
    cs_user_vic: { kind: "user", name: "vic", role: "viewer", groups: [], acts_for: null },
    cs_link_once: { kind: "user", name: "dana", role: "operator", groups: [], acts_for: null },
  };
  sessions = new Map();
  runs = new Map();
  events = new Map();
  interactions = new Map();
  streams = new Set();
  requests = [];
  /** What the record holds, the newest first, and what verifying it finds. */
  calls = someCalls();
  report = WHOLE;
  /** How many calls a page of the record has. */
  page = 50;
  grants = new Map();
  rulebook = new Rulebook();
  /** How long it takes, in milliseconds, to say that somebody is not signed in. */
  hesitates = 0;
  /** Whether it has no stream of the inbox. */
  deaf = false;
  /** How many streams to break off after their first event. */
  breaks = 0;
  /** Why to refuse the next answer. */
  refuses = undefined;

  run(more = {}) {
    const run = {
      id: id("run"),
      kind: "agent",
      agent: "assistant",
      user_id: "dana",
      session_id: id("ses"),
      status: "running",
      input: "Tidy up the old build folders and pay the outstanding invoice",
      output: null,
      error: null,
      parent_run_id: null,
      org_id: null,
      project_id: null,
      group: null,
      role: null,
      cwd: "/srv/shop",
      delegated_permissions: [],
      waiting_on: [],
      usage: { input_tokens: 1834, output_tokens: 212 },
      seq: 0,
      created_at: soon(-200_000),
      updated_at: soon(0),
      ...more,
    };
    this.runs.set(run.id, run);
    this.events.set(run.id, []);
    const { agent, input, user_id, cwd, kind } = run;
    this.event(run.id, "run_started", {
      agent,
      input,
      user_id,
      cwd,
      kind,
      started_by: { kind: "user", name: user_id },
    });
    return run;
  }

  event(run, type, data, step) {
    const stored = this.events.get(run);
    const live = type === "step_delta";
    const event = {
      ...(!live && { seq: stored.length + 1, at: soon(0) }),
      type,
      run_id: run,
      ...(step && { step_id: `step-${step}` }),
      depth: 0,
      data,
    };
    if (!live) stored.push(event);
    for (const stream of this.streams) {
      if (stream.run === run || (stream.run === undefined && OF_INBOX.includes(type))) stream.send(event);
    }
    return event;
  }

  ask(run, call, more = {}) {
    const digest = `sha256:${createHash("sha256").update(JSON.stringify(call)).digest("hex")}`;
    const whole = { server: null, cwd: "/srv/shop", resource: null, capabilities: [], risk: "medium", digest, ...call };
    const call_id = id("call");
    const interaction = {
      id: id("int"),
      type: "confirm",
      title: `May \`${run.agent}\` use \`${call.tool}\`?`,
      description: whole.resource ?? `a call of \`${call.tool}\``,
      required: true,
      confirm_text: "Approve",
      cancel_text: "Reject",
      run_id: run.id,
      step_id: "step-1",
      tool_call_id: call_id,
      tool_name: call.tool,
      metadata: {},
      created_at: soon(-90_000),
      expires_at: soon(HOUR),
      status: "open",
      purpose: "approval",
      correlation_key: `cap-approval-${digest.slice(7)}`,
      call: whole,
      reasons: [
        { layer: "rule", said: "silent", name: null, text: "no rule matches" },
        { layer: "capability", said: "silent", name: null, text: "no capability is set" },
        { layer: "grant", said: "silent", name: null, text: "dana has granted nothing that covers it" },
        { layer: "risk", said: "ask", name: whole.risk, text: `calls of ${whole.risk} risk are asked about` },
      ],
      asked_by: { user_id: run.user_id, agent: run.agent, role: null, group: null, run_path: [run.id] },
      answerable_by: "anyone",
      approvals_needed: 1,
      approvals: [],
      allowed_decisions: DECISIONS[more.purpose ?? "approval"],
      remember_options: [],
      answer: null,
      ...more,
    };
    this.interactions.set(interaction.id, interaction);
    const { tool, server, args, cwd } = whole;
    const proposal = { call_id, model_id: "m1", name: tool, tool, server, args, cwd, definition: null, key: digest };
    this.event(run.id, "step_completed", { text: more.text ?? "", calls: [proposal], usage: {} }, 1);
    const { reasons } = interaction;
    this.event(run.id, "tool_judged", {
      call_id,
      digest,
      verdict: "ask",
      by: "anyone",
      mode: "once",
      approvals: 1,
      reasons,
      risk: whole.risk,
    });
    this.event(run.id, "interaction_request", { interaction_request: interaction });
    const { correlation_key, expires_at } = interaction;
    this.event(run.id, "execution_suspended", {
      interaction_request_id: interaction.id,
      wait_type: "human",
      correlation_key,
      expires_at,
    });
    Object.assign(run, { status: "waiting", waiting_on: [...run.waiting_on, interaction.id] });
    return interaction;
  }

  answer(interaction, decision, who, reason = null, more = {}) {
    const answer = { decision, reason, ...more, user_id: who.name, kind: who.kind, responded_at: soon(0) };
    Object.assign(interaction, { status: "answered", answer });
    const run = this.runs.get(interaction.run_id);
    const told = { interaction_request_id: interaction.id };
    this.event(run.id, "interaction_response", { ...told, response: answer, settled: true });
    this.event(run.id, "wait_completed", {
      ...told,
      correlation_key: interaction.correlation_key,
      outcome: "answered",
    });
    run.waiting_on = run.waiting_on.filter((each) => each !== interaction.id);
    if (run.waiting_on.length === 0) run.status = "running";
    return answer;
  }

  listen(port = 0) {
    this.server = createServer((request, response) =>
      this.#serve(request, response).catch((error) => response.destroy(error)),
    );
    return new Promise((ready) =>
      this.server.listen(port, "127.0.0.1", () => ready(`http://127.0.0.1:${this.server.address().port}`)),
    );
  }

  close() {
    this.server.closeAllConnections();
    return new Promise((closed) => this.server.close(closed));
  }

  async #serve(request, response) {
    const url = new URL(request.url, "http://here");
    let body = "";
    for await (const chunk of request) body += chunk;
    this.requests.push({ method: request.method, path: url.pathname, headers: request.headers, body });
    const json = (status, value, headers = {}) => {
      const type = status >= 400 ? "application/problem+json" : "application/json";
      response
        .writeHead(status, { "content-type": type, ...headers })
        .end(value === undefined ? "" : JSON.stringify(value));
    };
    const problem = (status, code, detail, more = {}) =>
      json(status, { type: "about:blank", title: code, status, detail, code, ...more });
    const session = /countersign_session=(\w+)/.exec(request.headers.cookie ?? "")?.[1];
    const me = this.sessions.get(session);
    const route = `${request.method} ${url.pathname.slice(4)}`;
    const given = body === "" ? {} : JSON.parse(body);

    if (route === "POST /sign-in") {
      const secret = given.link ?? given.token;
      const who = this.people[secret];
      if (!who)
        return problem(
          401,
          "UNAUTHENTICATED",
          given.link ? "this link was used already or has ended" : "this is no token that holds",
        );
      if (given.link) delete this.people[secret];
      const key = id("session");
      this.sessions.set(key, who);
      return json(200, who, { "set-cookie": `countersign_session=${key}; HttpOnly; SameSite=Strict; Path=/` });
    }
    if (!me) return setTimeout(() => problem(401, "UNAUTHENTICATED", "sign in"), this.hesitates);
    if (route === "POST /sign-out") {
      this.sessions.delete(session);
      return json(204);
    }
    if (route === "GET /me") return json(200, me);
    if (route === "GET /agents") return json(200, { items: AGENTS, next: null });
    if (route === "GET /runs")
      return json(200, { items: this.#runsOf(url.searchParams.get("session_id")), next: null });
    if (route === "GET /sessions") return json(200, { items: this.#conversations(), next: null });
    if (route === "POST /runs")
      return json(
        201,
        this.run({ ...given, user_id: me.name, created_at: soon(0), usage: { input_tokens: 0, output_tokens: 0 } }),
      );
    if (route === "GET /interactions") {
      return json(200, {
        items: [...this.interactions.values()].filter(({ status }) => status === "open"),
        next: null,
      });
    }
    if (route === "GET /interactions/stream") return this.#inbox(response);
    if (url.pathname.startsWith("/api/audit")) return this.#audit(url, me, { json, problem, response });
    if (route === "POST /policy/check") {
      if (given.user_id && given.user_id !== me.name && me.role !== "operator")
        return problem(403, "PERMISSION_DENIED", "only an operator may name another user than their own");
      return json(200, judge(given, this.granted(given.user_id ?? me.name)));
    }
    if (/ \/(rules|policy)(\/|$)/.test(route)) {
      const told = this.rulebook.answer(route, given, me, request.headers["if-match"], this.calls);
      response.setHeader("etag", `"${this.rulebook.changes.length}"`);
      return told.status < 300 ? json(told.status, told.body) : problem(told.status, told.code, told.detail, told.more);
    }
    const permissions = /^(\w+) \/permissions\/([^/]+)(?:\/(allow|deny))?$/.exec(route);
    if (permissions) return this.#permissions(permissions, given, me, { json, problem });
    const [, method, noun, name, verb] = /^(\w+) \/(\w+)\/(\w+)(?:\/(\w+))?$/.exec(route) ?? [];
    const run = noun === "runs" ? this.runs.get(name) : undefined;
    const interaction = noun === "interactions" ? this.interactions.get(name) : undefined;
    if (run && verb === undefined) return json(200, { ...run, seq: this.events.get(run.id).length });
    if (run && verb === "events") return this.#stream(run, request, response);
    if (run && verb === "cancel") {
      for (const asked of this.interactions.values()) {
        if (asked.run_id === run.id && asked.status === "open") {
          asked.status = "cancelled";
          this.event(run.id, "wait_completed", { interaction_request_id: asked.id, outcome: "cancelled" });
        }
      }
      Object.assign(run, { status: "cancelled", waiting_on: [] });
      this.event(run.id, "run_cancelled", { by: me, ...(given.reason && { reason: given.reason }) });
      return json(200, run);
    }
    if (run && verb === "message") {
      this.event(run.id, "message_received", { text: given.text, by: me });
      return json(200, { run });
    }
    if (interaction && method === "GET") {
      return json(200, {
        interaction_request: interaction,
        run_id: interaction.run_id,
        suspended_at: interaction.created_at,
      });
    }
    if (interaction && verb === "respond") {
      if (me.role === "viewer") return problem(403, "NOT_YOURS_TO_ANSWER", "a viewer cannot answer");
      if (interaction.status === "expired") return problem(410, "EXPIRED", `\`${name}\` has expired`);
      if (interaction.answer)
        return problem(409, "ALREADY_ANSWERED", `\`${name}\` was already answered`, { answer: interaction.answer });
      if (this.refuses !== undefined) {
        const detail = this.refuses;
        this.refuses = undefined;
        return problem(400, "INVALID", detail);
      }
      if (!interaction.allowed_decisions.includes(given.decision))
        return problem(400, "INVALID", `\`${given.decision}\` is not among the decisions that this request takes`);
      const { text, selected_values, confirmed, responses, replacement } = given;
      const more = { text, selected_values, confirmed, responses, replacement };
      this.answer(interaction, given.decision, me, given.reason ?? null, more);
      return json(200, { interaction_request: interaction, repeated: false });
    }
    return problem(404, "NOT_FOUND", "there is no such thing");
  }

  /** The newest first; of one session if one is named. */
  #runsOf(session) {
    const all = [...this.runs.values()].reverse();
    return session === null ? all : all.filter(({ session_id }) => session_id === session);
  }

  #conversations() {
    const ids = new Set(this.#runsOf(null).map(({ session_id }) => session_id));
    return [...ids].map((id) => {
      const runs = this.#runsOf(id);
      const { id: newest_run_id, updated_at } = runs[0];
      return { id, runs: runs.length, newest_run_id, created_at: runs.at(-1).created_at, updated_at };
    });
  }

  granted(user) {
    if (!this.grants.has(user)) this.grants.set(user, { allow: [], deny: [] });
    return this.grants.get(user);
  }

  #audit(url, me, { json, problem, response }) {
    const found = this.calls.filter((call) => lets(call, url.searchParams));
    if (url.pathname === "/api/audit") {
      const own = me.role === "operator" ? found : found.filter(({ user_id }) => user_id === me.name);
      const start = Number(url.searchParams.get("after") ?? 0);
      const next = start + this.page < own.length ? String(start + this.page) : null;
      return json(200, { items: own.slice(start, start + this.page), next });
    }
    if (me.role !== "operator")
      return problem(403, "PERMISSION_DENIED", "only an operator exports and verifies the record");
    if (url.pathname === "/api/audit/verify") return json(200, this.report);
    const format = url.searchParams.get("format");
    const rows = found.map(({ tool_name, status, tool_call_id }) => `${tool_name},${status},${tool_call_id}`);
    const text = format === "csv" ? ["tool_name,status,tool_call_id", ...rows].join("\r\n") : JSON.stringify(found);
    return response
      .writeHead(200, { "content-type": "text/plain", "content-disposition": `attachment; filename="audit.${format}"` })
      .end(text);
  }

  #permissions([, method, name, side], given, me, { json, problem }) {
    const user = decodeURIComponent(name);
    if (me.name !== user && me.role !== "operator")
      return problem(403, "PERMISSION_DENIED", "only the user in person or an operator may see and change this");
    const grants = this.granted(user);
    if (method === "POST") {
      if (!/^[\w/*-]+(\(.+\))?$/.test(given.resource))
        return problem(400, "INVALID", `\`${given.resource}\` is no pattern: its bracket is not closed`);
      const { resource, expires_at = null, reason = null } = given;
      for (const each of ["allow", "deny"]) grants[each] = grants[each].filter((grant) => grant.resource !== resource);
      grants[side].push({ resource, expires_at, reason, given_by: me.name, given_at: soon(0), source: "api" });
    }
    if (method === "DELETE") {
      if (!grants[side].some(({ resource }) => resource === given.resource))
        return problem(404, "NOT_FOUND", "there is no such grant; what the configuration file says stays there");
      grants[side] = grants[side].filter(({ resource }) => resource !== given.resource);
    }
    return json(200, grants);
  }

  #inbox(response) {
    if (this.deaf) return response.destroy();
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    const stream = { send: (event) => response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`) };
    this.streams.add(stream);
    response.on("close", () => this.streams.delete(stream));
    stream.send({ type: "ready", id: 0 });
  }

  #stream(run, request, response) {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    const breaks = this.breaks > 0;
    if (breaks) this.breaks -= 1;
    const stream = {
      run: run.id,
      send(event) {
        const name = event.seq === undefined ? "" : `id: ${event.seq}\n`;
        response.write(`event: ${event.type}\n${name}data: ${JSON.stringify(event)}\n\n`);
        if (breaks) {
          this.send = () => {};
          setTimeout(() => response.destroy(), 50);
        }
        if (["run_completed", "run_failed", "run_cancelled", "run_set_aside"].includes(event.type)) response.end();
      },
    };
    this.streams.add(stream);
    response.on("close", () => this.streams.delete(stream));
    const after = Number(request.headers["last-event-id"] ?? 0);
    for (const event of this.events.get(run.id)) if (event.seq > after) stream.send(event);
  }
}

/** A form with a part of each kind, and one within another. */
export const RELEASE = {
  type: "combined",
  title: "How shall I release it?",
  description: "All tests pass. There are two changes that users will notice.",
  interactions: [
    { id: "version", type: "input", title: "Version", required: true, placeholder: "1.4.0", multiline: false },
    {
      id: "channel",
      type: "select",
      title: "Where to",
      required: true,
      multiple: false,
      options: [
        { value: "beta", label: "Beta", description: "Some hundred people who asked for it" },
        { value: "all", label: "Everybody" },
      ],
    },
    {
      id: "more",
      type: "combined",
      title: "Around the release",
      description: "Nothing of this is needed for the build itself.",
      required: true,
      interactions: [
        {
          id: "tell",
          type: "select",
          title: "Whom to tell",
          required: false,
          multiple: true,
          options: [
            { value: "mail", label: "Customers, by mail" },
            { value: "blog", label: "Everybody, on the blog" },
            { value: "chat", label: "The team, in the chat" },
          ],
        },
        {
          id: "notes",
          type: "input",
          title: "Notes",
          description: "In your own words.",
          required: false,
          multiline: true,
        },
        { id: "tag", type: "confirm", title: "Tag it?", required: true, confirm_text: "Tag it", cancel_text: "No tag" },
      ],
    },
  ],
};
