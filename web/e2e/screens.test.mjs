// What people do on the screens beside the inbox and the runs, in a real browser against the stand-in for the server.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, beforeEach, test } from "node:test";
import { launch } from "./browser.mjs";
import {
  audit,
  draftRule,
  grant,
  keys,
  removeRule,
  saveRule,
  settings,
  takeBack,
  undo,
  why,
} from "./drive-screens.mjs";
import { Fake, furnish } from "./fake-server.mjs";

let fake;
let base;
let browser;

before(async () => {
  browser = await launch();
});
beforeEach(async () => {
  await fake?.close();
  fake = new Fake();
  base = await fake.listen();
});
after(async () => {
  await browser.close();
  await fake.close();
});

/** A page that is signed in. */
async function signedIn(role, more = {}) {
  fake.people.cs_link_e2e = { kind: "user", name: "kim", role, groups: [], acts_for: null };
  const context = await browser.newContext({
    baseURL: base,
    viewport: { width: 1360, height: 900 },
    reducedMotion: "reduce",
    ...more,
  });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  await page.goto("/sign-in#cs_link_e2e");
  await page.locator("button[data-account]").waitFor();
  return page;
}

test("the page speaks Chinese, Japanese and English again, and stays as it was left", async () => {
  const page = await signedIn("approver");
  assert.deepEqual(await settings(page, null, "简体中文", "dark"), {
    lang: "zh-Hans",
    title: "设置",
    paper: "rgb(19, 20, 23)",
    theme: "dark",
  });
  assert.deepEqual(await settings(page, null, "日本語", "light"), {
    lang: "ja",
    title: "設定",
    paper: "rgb(247, 246, 243)",
    theme: "light",
  });
  const back = await settings(page, null, "English", "system");
  assert.deepEqual([back.lang, back.title, back.theme], ["en", "Settings", "system"]);
});

test("an operator reads the record, verifies it and takes a file of it along", async () => {
  const page = await signedIn("operator");
  const found = await audit(page, null, "status=rejected");
  assert.deepEqual(
    found.calls.map(({ status }) => status),
    ["rejected"],
  );
  assert.match(found.detail, /use `make clean` instead/);
  assert.match(found.verified, /Verified/);
  assert.equal(found.file, "audit.csv");
  assert.match(found.exported, /^tool_name,status,tool_call_id\r\nbash,rejected,call_/);
});

test("the policy says why, and grants change what it says", async () => {
  const page = await signedIn("approver");
  const call = JSON.stringify({ tool: "bash", args: { command: "npm run lint" } });
  const asked = await why(page, null, call);
  assert.deepEqual([asked.verdict, asked.steps.at(-1)], ["ask", { layer: "risk", said: "ask", decided: true }]);
  await assert.rejects(() => grant(page, null, "allow", "bash(npm"), /bracket is not closed/);
  assert.deepEqual(await grant(page, null, "allow", "bash(npm run lint)"), { allow: ["bash(npm run lint)"], deny: [] });
  assert.equal((await why(page, null, call)).verdict, "allow");
  assert.deepEqual(await takeBack(page, null, "bash(npm run lint)"), { allow: [], deny: [] });
});

test("an operator sees what a rule would change before it is saved, and undoes it", async () => {
  const page = await signedIn("operator");
  const rule = { name: "no-reads", tool: "file_read", effect: "denied", reason: "moving house" };
  assert.deepEqual(await draftRule(page, null, JSON.stringify(rule)), { lookedAt: 8, allowed: 0, asked: 0, denied: 1 });
  assert.equal(fake.rulebook.changes.length, 0, "nothing is saved by looking");
  assert.deepEqual(await saveRule(page), ["no-pipes-to-shell", "big-money", "no-reads"]);
  assert.match((await page.locator("[data-version='1']").textContent()) ?? "", /no-reads.*by kim.*moving house/s);
  await assert.rejects(
    () => draftRule(page, null, JSON.stringify({ ...rule, name: "bad", tool: "bash(rm" })),
    /bracket is not closed/,
  );
  const wider = JSON.stringify({ name: "no-reads", tool: "bash", effect: "allowed", edits: true });
  assert.deepEqual(await draftRule(page, null, wider), { lookedAt: 8, allowed: 6, asked: 1, denied: 0 });
  await saveRule(page);
  await assert.rejects(() => undo(page, null, "1"), /changed again by version 2/);
  await undo(page, null, "2");
  assert.equal(fake.rulebook.made.get("no-reads").effect, "deny");
  const removed = await removeRule(page, null, "no-reads");
  assert.deepEqual(removed.told, { lookedAt: 8, allowed: 0, asked: 1, denied: 0 });
  assert.deepEqual(removed.rules, ["no-pipes-to-shell", "big-money"]);
  assert.deepEqual(await undo(page, null, "4"), ["no-pipes-to-shell", "big-money", "no-reads"]);
});

test("whoever is no operator sees the rules, and neither changes them nor their history", async () => {
  const page = await signedIn("approver");
  await page.goto("/rules");
  await page.locator("[data-rule]").first().waitFor();
  assert.equal(await page.locator("[data-rule]").count(), 2);
  assert.equal(await page.getByRole("button", { name: /New rule|Edit|Undo/ }).count(), 0);
  assert.equal(await page.getByRole("heading", { name: "History" }).count(), 0);
});

test("a dangerous call is approved by key once it was read to its end, and not before", async () => {
  const page = await signedIn("approver");
  const lines = Array.from({ length: 80 }, (_, line) => `echo ${line}`).join("\n");
  const asked = fake.ask(fake.run(), {
    tool: "bash",
    args: { command: `${lines}\nrm -rf ~` },
    capabilities: ["shell"],
    risk: "high",
  });
  const before = await keys(page, null, `/interactions/${asked.id}`, "a");
  assert.match(before.says, /approving opens once everything above has been seen/);
  assert.equal(asked.status, "open");
  const blocks = page.locator("article section[tabindex]");
  for (let place = 0; place < (await blocks.count()); place += 1) {
    await blocks.nth(place).evaluate((block) => block.scrollTo(0, block.scrollHeight));
  }
  await page.keyboard.press("a");
  await page.waitForTimeout(300);
  assert.equal(asked.status, "open", "the end of the card has not been on screen yet");
  await page.locator("h2").first().focus();
  await page.keyboard.press("End");
  const approve = page.getByRole("button", { name: "Approve", exact: true });
  await approve.and(page.locator(":enabled")).waitFor();
  await page.keyboard.press("a");
  await page.getByText(/You approved this call/).waitFor();
  assert.equal(asked.answer.decision, "approve");
});

test("one finds one's way by keyboard alone", async () => {
  furnish(fake);
  const page = await signedIn("approver");
  const [first, second] = [...fake.interactions.values()].toSorted((a, b) => a.expires_at.localeCompare(b.expires_at));
  assert.equal((await keys(page, null, `/interactions/${first.id}`, "j")).at, `/interactions/${second.id}`);
  assert.equal((await keys(page, null, `/interactions/${second.id}`, "k")).at, `/interactions/${first.id}`);
  assert.equal((await keys(page, null, `/interactions/${first.id}`, "?")).dialog, 1);
  assert.equal((await keys(page, null, `/interactions/${first.id}`, "r")).focus, "TEXTAREA");
  assert.equal((await keys(page, null, `/interactions/${first.id}`, "/")).focus, "INPUT");
  for (const [letter, at] of Object.entries({
    c: "/chat",
    r: "/runs",
    a: "/audit",
    n: "/insights",
    u: "/rules",
    e: "/agents",
    s: "/settings",
  })) {
    assert.equal((await keys(page, null, `/interactions/${first.id}`, `g ${letter}`)).at, at);
  }
  assert.equal(first.status, "open");
});

test("on the smallest phone every screen is reached by the menu, and none is wider than it", async () => {
  furnish(fake);
  const page = await signedIn("operator", { viewport: { width: 375, height: 667 }, hasTouch: true });
  for (const name of ["Chat", "Runs", "Agents", "Rules", "Audit", "Insights", "Settings", "Inbox"]) {
    await page.locator("button[data-menu]").click();
    await page.getByRole("link", { name: new RegExp(`^${name}`) }).click();
    await page.getByRole("heading", { level: 1 }).first().waitFor({ state: "attached" });
    await page.waitForTimeout(300);
    assert.equal(await page.locator("nav:popover-open").count(), 0);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), name);
  }
});

test("an answer is read while it is spoken, and nothing of it is lost when the page is loaded again", async () => {
  const page = await signedIn("approver");
  const run = fake.run({ user_id: "kim", input: "What changed?" });
  await page.goto(`/chat/${run.session_id}`);
  await page.getByText("What changed?").first().waitFor();
  const spoken = page.locator("[data-said=agent]");
  await page.waitForTimeout(500);
  fake.event(run.id, "step_delta", { text: "Two things: the check" });
  fake.event(run.id, "step_delta", { text: "out rounds once." });
  await spoken.getByText("Two things: the checkout rounds once.").waitFor();
  fake.event(run.id, "step_completed", { text: "Two things: the checkout rounds once.", calls: [], usage: {} });
  fake.runs.get(run.id).status = "completed";
  fake.event(run.id, "run_completed", { output: "Two things: the checkout rounds once." });
  await page.locator("[data-turn][data-run-status=completed]").waitFor();
  assert.equal(await spoken.count(), 1, "what was spoken stands there once");
  await page.reload();
  await spoken.getByText("Two things: the checkout rounds once.").waitFor();
  assert.equal(await spoken.count(), 1);
});

test("what the browser loads first is small", async () => {
  const page = await signedIn("approver");
  const scripts = await page.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .map(({ name }) => name)
      .filter((name) => name.endsWith(".js")),
  );
  const { gzipSync } = await import("node:zlib");
  const size = scripts
    .map((name) => gzipSync(readFileSync(new URL(`../dist${new URL(name).pathname}`, import.meta.url))).length)
    .reduce((sum, each) => sum + each, 0);
  assert.ok(size > 50_000 && size < 250_000, `${size} bytes`);
});
