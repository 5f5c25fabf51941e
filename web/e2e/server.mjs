// The real server: the built program, with a folder, a database, a configuration and a model of its own.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { FakeModel } from "./fake-model.mjs";

const BINARY = process.env.COUNTERSIGN_BIN ?? fileURLToPath(new URL("../../target/debug/countersign", import.meta.url));

/** How long anything may take before it counts as stuck. Generous: it only decides how long a failure takes. */
export const PATIENCE = 90_000;

export class Server {
  /** Starts one whose model says `turns`, one after the other, with `config` as further lines of its configuration. */
  static async start({ turns = [], config = "", tools = "[ask_user, bash, file_edit, file_read, file_write]" } = {}) {
    const server = new Server();
    server.folder = mkdtempSync(join(tmpdir(), "countersign-flow-"));
    server.work = join(server.folder, "work");
    mkdirSync(server.work);
    server.model = await FakeModel.start(turns);
    const model = `{ provider: openai, model: fake-1, base_url: "${server.model.base}", api_key: "sk-hidden" }`;
    const agent = `{ model: fake, tools: ${tools} }`;
    writeFileSync(
      server.path("countersign.yaml"),
      `models:\n  fake: ${model}\nagents:\n  worker: ${agent}\n${config}\n`,
    );
    await server.run();
    return server;
  }

  path(name) {
    return join(this.folder, name);
  }

  /** What the tools have written to a file. */
  wrote(name) {
    try {
      return readFileSync(join(this.work, name), "utf8");
    } catch {
      return undefined;
    }
  }

  /** Starts the program; also again, on the same address, once it has ended. */
  async run() {
    const listen = this.base === undefined ? "127.0.0.1:0" : new URL(this.base).host;
    const given = ["serve", "--config", this.path("countersign.yaml"), "--listen", listen];
    this.log = "";
    this.child = spawn(BINARY, [...given, "--db", `sqlite://${this.path("data.db")}`], {
      cwd: this.folder,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, COUNTERSIGN_LEASE_MS: "900", COUNTERSIGN_FAILPOINT: undefined },
    });
    this.child.stderr.on("data", (piece) => {
      this.log += piece;
    });
    this.ended = new Promise((done) => this.child.once("exit", done));
    const first = this.base === undefined;
    for await (const line of createInterface({ input: this.child.stdout })) {
      if (line.startsWith("listening on ")) this.base = line.slice(13).trim();
      if (line.startsWith("sign in: ")) this.link = line.slice(9).trim();
      if (this.base !== undefined && (!first || this.link !== undefined)) break;
    }
    if (this.base === undefined) throw new Error(`the server did not start: ${this.log}`);
    if (!first) await until(() => this.is(200, "/healthz"), "the server is there again");
  }

  async is(status, path) {
    const response = await fetch(this.base + path).catch(() => undefined);
    return response?.status === status;
  }

  /** Ends it as a power cut would. */
  async kill() {
    this.child.kill("SIGKILL");
    await this.ended;
  }

  async close() {
    await this.kill();
    this.model.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Whoever looks after it: the link is used up for them, unless a flow did so before. */
  async operator() {
    this.root ??= this.signIn({ link: new URL(this.link).hash.slice(1) });
    return this.root;
  }

  /** The cookie of a session. */
  async signIn(body) {
    const response = await this.fetch("POST", "/api/sign-in", body);
    if (!response.ok) throw new Error(`sign-in: ${response.status} ${await response.text()}`);
    return response.headers.get("set-cookie").split(";")[0];
  }

  fetch(method, path, body, cookie) {
    const headers = { "content-type": "application/json", origin: this.base, ...(cookie && { cookie }) };
    return fetch(this.base + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  }

  /** A request of the operator, whose answer must be good. */
  async api(method, path, body, cookie) {
    const response = await this.fetch(method, `/api${path}`, body, cookie ?? (await this.operator()));
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  }

  /** The token of a new person. */
  async token(name, role, groups = []) {
    return (await this.api("POST", "/tokens", { kind: "user", name, role, groups })).token;
  }

  /** A call that a program outside asks about: gives what is decided, which may be that somebody is asked. */
  ask(tool, args, more = {}) {
    return this.api("POST", "/tool-calls", { tool, args, agent: "shop-bot", user_id: "kim", ...more });
  }

  /** The same as a command; gives the id of the question. */
  async asked(command, more = {}) {
    const told = await this.ask("bash", { command }, more);
    if (told.decision !== "pending") throw new Error(`nobody is asked about ${command}: ${JSON.stringify(told)}`);
    return told.interaction_id;
  }

  async interaction(id) {
    return (await this.api("GET", `/interactions/${id}`)).interaction_request;
  }

  /** Waits until so many questions are open, and gives them. */
  open(count) {
    return until(async () => {
      const { items } = await this.api("GET", "/interactions?limit=200");
      return items.length === count ? items : undefined;
    }, `${count} open questions`);
  }

  /** Starts a run of the worker for `kim`. */
  async start(input = "do it", user_id = "kim") {
    return (await this.api("POST", "/runs", { agent: "worker", input, user_id, cwd: this.work })).id;
  }

  ends(run, status = "completed") {
    return until(async () => {
      const found = await this.api("GET", `/runs/${run}`);
      return found.status === status ? found : undefined;
    }, `run ${run} is ${status}`);
  }
}

/** Asks again and again until `found` gives something. */
export async function until(found, what) {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const value = await found();
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`);
    await new Promise((later) => setTimeout(later, 50));
  }
}
