// What `drive.mjs` promises to those who call it, against the stand-in for the server.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Fake, RELEASE } from "./fake-server.mjs";

const script = fileURLToPath(new URL("./drive.mjs", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "countersign-drive-"));
const state = join(folder, "state.json");
const shell = { tool: "bash", args: { command: "rm -rf ./build" }, capabilities: ["shell"], risk: "high" };
const fake = new Fake();
let base;

before(async () => {
  base = await fake.listen();
});
after(() => fake.close());

function drive(...args) {
  return new Promise((done) => {
    execFile(process.execPath, [script, base, ...args, "--state", state, "--timeout", "20"], (error, stdout, stderr) =>
      done({ code: error?.code ?? 0, found: stdout === "" ? undefined : JSON.parse(stdout), stderr }),
    );
  });
}

test("signs in by link and keeps the session", async () => {
  const { code, found, stderr } = await drive("sign-in", `${base}/sign-in#cs_link_once`);
  assert.equal(stderr, "");
  assert.equal(code, 0);
  assert.deepEqual(found, { signed_in: "Signed in: dana operator", at: "/" });
  assert.ok(existsSync(state));
});

test("says why a used link does not let it in", async () => {
  const { code, stderr } = await drive("sign-in", `${base}/sign-in#cs_link_once`, "--timeout", "10");
  assert.equal(code, 1);
  assert.match(stderr, /used already/);
});

test("approves", async () => {
  const asked = fake.ask(fake.run(), shell);
  const { code, found, stderr } = await drive("approve", asked.id);
  assert.equal(stderr, "");
  assert.equal(code, 0);
  assert.equal(found.status, "answered");
  assert.equal(asked.answer.decision, "approve");
});

test("rejects with a reason", async () => {
  const asked = fake.ask(fake.run(), shell);
  const { code } = await drive("reject", asked.id, "use make clean");
  assert.equal(code, 0);
  assert.equal(asked.answer.reason, "use make clean");
});

test("presses the button that it is told to", async () => {
  const asked = fake.ask(fake.run(), shell, { purpose: "uncertain_outcome" });
  const { code, found, stderr } = await drive("decide", asked.id, "It happened");
  assert.equal(stderr, "");
  assert.equal(code, 0);
  assert.match(found.says, /that it happened/);
  assert.equal(asked.answer.decision, "happened");
});

test("fills in a form", async () => {
  const call = { tool: "ask_user", args: {}, risk: "low" };
  const asked = fake.ask(fake.run(), call, { purpose: "question", ...RELEASE });
  const fields = { Version: "1.4.0", "Where to": ["Everybody"], "Whom to tell": ["The team, in the chat"] };
  const { code, stderr } = await drive("answer", asked.id, JSON.stringify({ ...fields, "Tag it?": ["No tag"] }));
  assert.equal(stderr, "");
  assert.equal(code, 0);
  assert.deepEqual(asked.answer.responses.at(-1).responses, [
    { request_id: "tell", selected_values: ["chat"] },
    { request_id: "tag", confirmed: false },
  ]);
});

test("says so where there is nothing to answer any more", async () => {
  const asked = fake.ask(fake.run(), shell);
  fake.answer(asked, "reject", { name: "kim", kind: "user" });
  const { code, stderr } = await drive("approve", asked.id);
  assert.equal(code, 1);
  assert.match(stderr, /Rejected by kim/);
});

test("sees a run to its end", async () => {
  const run = fake.run();
  setTimeout(() => fake.event(run.id, "run_completed", { output: "done" }), 4000);
  const { code, found } = await drive("see-run", run.id, "--until", "run_completed");
  assert.equal(code, 0);
  assert.deepEqual(
    found.events.map(({ seq, type, text }) => [seq, type, text]),
    [
      [1, "run_started", "dana started assistant"],
      [2, "run_completed", "The run is completed"],
    ],
  );
});

test("starts a run and takes a picture", async () => {
  const { found } = await drive("start-run", "demo", "show me");
  assert.match(found.id, /^run_/);
  const file = join(folder, "run.png");
  const { code } = await drive("screenshot", `/runs/${found.id}`, file, "--phone", "--dark");
  assert.equal(code, 0);
  assert.ok(existsSync(file));
});
