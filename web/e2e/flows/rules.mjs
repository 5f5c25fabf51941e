// The policy: what it says, why, and changing it.
import assert from "node:assert/strict";
import { draftRule, grant, removeRule, saveRule, takeBack, undo, why } from "../drive-screens.mjs";
import { matches } from "./acts.mjs";

const LINT = { tool: "bash", args: { command: "npm run lint" } };
const layers = (steps) => steps.map(({ layer, said }) => [layer, said]);

/** The page and the server say the same of a call. */
async function agree(server, page, call) {
  const told = await server.api("POST", "/policy/check", call);
  const shown = await why(page, null, JSON.stringify(call));
  assert.equal(shown.verdict, told.verdict);
  assert.equal(shown.digest, told.digest);
  assert.deepEqual(layers(shown.steps), layers(told.reasons));
  return told.verdict;
}

const RULE = { name: "no-lint", tool: "bash(npm run lint)", effect: "denied", reason: "it takes too long" };

export const flows = {
  "a rule is made and edited, and the page says why as the server does": async ({ server, as }) => {
    const page = await as("root", "operator");
    assert.equal(await agree(server, page, LINT), "ask");
    await server.asked(LINT.args.command);
    const tried = await draftRule(page, null, JSON.stringify(RULE));
    assert.deepEqual(tried, { lookedAt: 1, allowed: 0, asked: 0, denied: 1 });
    assert.equal(await agree(server, page, LINT), "ask", "trying it out changes nothing");
    await draftRule(page, null, JSON.stringify(RULE));
    await saveRule(page);
    await page.locator("[data-rule=no-lint]").waitFor();
    assert.equal(await agree(server, page, LINT), "deny");
    await draftRule(page, null, JSON.stringify({ ...RULE, effect: "allowed", edits: true }));
    await saveRule(page);
    assert.equal(await agree(server, page, LINT), "allow");
    assert.equal((await server.ask(LINT.tool, LINT.args)).decision, "allow");
  },

  "a rule is removed, and that is undone from the history": async ({ server, as }) => {
    const page = await as("root", "operator");
    await draftRule(page, null, JSON.stringify(RULE));
    await saveRule(page);
    await page.locator("[data-rule=no-lint]").waitFor();
    matches(await page.locator("[data-version='1']").textContent(), /no-lint.*by root.*it takes too long/);
    await removeRule(page, null, "no-lint");
    await page.locator("[data-rule=no-lint]").waitFor({ state: "detached" });
    assert.equal((await server.api("GET", "/rules")).items.length, 0);
    await undo(page, null, "2");
    await page.locator("[data-rule=no-lint]").waitFor();
    assert.equal(await agree(server, page, LINT), "deny");
  },

  "a rule that is none is refused with its place": async ({ server, as }) => {
    const page = await as("root", "operator");
    await assert.rejects(
      () => draftRule(page, null, JSON.stringify({ ...RULE, tool: "bash(rm" })),
      /tool|bracket|closed/,
    );
    assert.equal((await server.api("GET", "/rules")).items.length, 0);
  },

  "whoever saves after somebody else is told, and overrules nobody": async ({ server, as }) => {
    const page = await as("root", "operator");
    await draftRule(page, null, JSON.stringify(RULE));
    await server.api("POST", "/rules", { name: "meanwhile", tool: "deploy", effect: "deny" });
    const form = page.getByRole("form", { name: "A new rule" });
    await form.getByRole("button", { name: "Save", exact: true }).click();
    await form.getByRole("alert").waitFor();
    const { items } = await server.api("GET", "/rules");
    assert.deepEqual(
      items.map(({ name }) => name),
      ["meanwhile"],
    );
  },

  "what the file says is shown as such, and is not changed here": {
    config: "policy: { rules: [ { name: no-curl, priority: 1, tool: fetch, effect: deny } ] }",
    act: async ({ server, as }) => {
      const page = await as("root", "operator");
      await page.goto("/rules");
      const rule = page.locator("[data-rule=no-curl]");
      await rule.waitFor();
      assert.equal(await rule.getAttribute("data-source"), "file");
      assert.equal(await rule.getByRole("button", { name: /Edit|Remove/ }).count(), 0);
      assert.equal(await agree(server, page, { tool: "fetch", args: { url: "https://x.example" } }), "deny");
    },
  },

  "a grant is given and taken back": async ({ server, as }) => {
    const page = await as("kim", "approver");
    await assert.rejects(() => grant(page, null, "allow", "bash(npm"), /does not take this grant/);
    const given = await grant(page, null, "allow", "bash(npm run lint)");
    assert.deepEqual(given, { allow: ["bash(npm run lint)"], deny: [] });
    assert.equal((await server.ask(LINT.tool, LINT.args)).decision, "allow");
    assert.deepEqual(await takeBack(page, null, "bash(npm run lint)"), { allow: [], deny: [] });
    assert.equal((await server.ask(LINT.tool, { command: "npm run lint " })).decision, "pending");
  },

  "a denial that a user gives themselves holds": async ({ server, as }) => {
    const page = await as("kim", "approver");
    await grant(page, null, "deny", "bash(npm publish)");
    assert.equal((await server.ask("bash", { command: "npm publish" })).decision, "deny");
  },

  "whoever is no operator reads the rules and changes none": async ({ server, as }) => {
    await server.api("POST", "/rules", { name: "no-deploy", tool: "deploy", effect: "deny" });
    const page = await as("kim", "approver");
    await page.goto("/rules");
    await page.locator("[data-rule=no-deploy]").waitFor();
    assert.equal(await page.getByRole("button", { name: /New rule|Edit|Remove|Undo/ }).count(), 0);
    assert.equal(await page.getByRole("heading", { name: "History" }).count(), 0);
  },
};
