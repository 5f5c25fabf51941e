// The policy: what it says, why, and changing it.
import assert from "node:assert/strict";
import { draftRule, grant, removeRule, saveRule, takeBack, undo, why } from "../drive-screens.mjs";
import { until } from "../server.mjs";
import { button, matches, open, outcome, placed } from "./acts.mjs";

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

  "a call is pasted whole, or one that was made is taken, and the policy is asked about it": async ({ server, as }) => {
    await server.asked("make earlier");
    await placed(server);
    const page = await as("root", "operator");
    await page.goto("/rules");
    const form = page.getByRole("form", { name: "Why?" });
    const args = form.getByLabel("Arguments, as JSON");
    const paste = (field, text) =>
      field.evaluate((field, text) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData("text", text);
        const pasted = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
        return field.dispatchEvent(pasted);
      }, text);
    const call = { tool: "pay", server: "books", args: { amount: 7 }, cwd: "/srv" };
    assert.equal(await paste(args, JSON.stringify(call)), false, "it is taken apart");
    const field = (name) => form.getByLabel(name).inputValue();
    assert.deepEqual([await field("Tool"), await field("Server"), await field("Folder")], ["pay", "books", "/srv"]);
    assert.deepEqual(JSON.parse(await args.inputValue()), call.args);
    for (const alone of ['{"tool": "x"}', '{"tool": "x", "args": {}, "more": 1}', "bash", "[]"]) {
      assert.equal(await paste(args, alone), true, `${alone} is put in as it stands`);
    }
    await form.getByText("Take one of the latest calls").click();
    await form
      .getByRole("list")
      .getByRole("button", { name: /make earlier/ })
      .click();
    await page.locator("[data-verdict=ask]").waitFor();
    assert.deepEqual([await field("Tool"), await field("Server")], ["bash", ""]);
    matches(await args.inputValue(), /make earlier/);
    await page.getByText("Taken from the audit.").waitFor();
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

  "what is wrong with a rule is said while it is written": async ({ as }) => {
    const page = await as("root", "operator");
    await page.goto("/rules");
    await page.getByRole("button", { name: "New rule", exact: true }).click();
    const form = page.getByRole("form", { name: "A new rule" });
    await form.getByLabel("Name").fill("odd");
    await form.getByLabel("Tool").fill("bash(rm");
    await form.locator("[data-problems='1']").waitFor();
    await form.getByLabel("Tool").fill("bash(rm:*)");
    await form.getByText("This would be a policy.").waitFor();
    await form.getByLabel("Only when").fill("args.amount >");
    await form.locator("[data-problems='1'] code").getByText("when").waitFor();
  },

  "a capability is made, changed and removed": async ({ server, as }) => {
    const page = await as("root", "operator");
    const verdict = async () => (await server.api("POST", "/policy/check", LINT)).verdict;
    const { create, edit, remove } = things(page, "capability", "shell");
    await create("New capability entry", async (form) => {
      await form.getByLabel("Capability").fill("shell");
      await form.getByRole("radio", { name: "denied", exact: true }).check();
    });
    assert.equal(await verdict(), "deny");
    await edit(async (form) => form.getByRole("radio", { name: "allowed", exact: true }).check());
    assert.equal(await verdict(), "allow");
    await remove();
    assert.equal(await verdict(), "ask");
  },

  "an override is made and removed, for one user": async ({ server, as }) => {
    const page = await as("root", "operator");
    const { create, remove } = things(page, "override", "deploy");
    await create("New override", async (form) => {
      await form.getByLabel("Tool").fill("deploy");
      await form.getByLabel("Only for").fill("kim");
      await form.getByRole("radiogroup", { name: "Its calls" }).getByLabel("made without asking").check();
    });
    assert.equal((await server.ask("deploy", { to: "shop" })).decision, "allow");
    assert.equal((await server.ask("deploy", { to: "shop" }, { user_id: "lee" })).decision, "pending");
    await remove();
    assert.equal((await server.ask("deploy", { to: "depot" })).decision, "pending");
  },

  "a role is made, and what the file says stays": {
    config: "roles: { reader: { allowed_tools: [file_read] } }",
    act: async ({ server, as }) => {
      const page = await as("root", "operator");
      const { create, edit } = things(page, "role", "clerk");
      await create("New role", async (form) => {
        await form.getByLabel("Name").fill("clerk");
        await form.getByLabel("Only these tools").fill("file_read, file_write");
      });
      await edit(async (form) => form.getByLabel("Never these tools").fill("bash"));
      const { items } = await server.api("GET", "/roles");
      const clerk = items.find(({ name }) => name === "clerk");
      assert.deepEqual([clerk.allowed_tools, clerk.denied_tools], [["file_read", "file_write"], ["bash"]]);
      const reader = page.locator("[data-thing='role reader']");
      assert.equal(await reader.getAttribute("data-source"), "file");
      assert.equal(await reader.getByRole("button").count(), 0);
    },
  },

  "an approval is remembered for everyone by an operator, and by nobody else": async ({ server, as }) => {
    const id = await server.asked("npm run lint");
    const lee = await open(await as("lee", "approver"), id);
    await button(lee, "Approve and remember…").click();
    await button(lee, "Approve and remember").waitFor();
    assert.equal(await lee.getByLabel("For everyone, by a rule").count(), 0);
    const card = await open(await as("root", "operator"), id);
    await button(card, "Approve and remember…").click();
    await card.getByLabel("For everyone, by a rule").check();
    await button(card, "Approve and remember").click();
    matches(await outcome(card), /You approved this call/);
    assert.equal((await server.ask("bash", { command: "npm run lint" }, { user_id: "ann" })).decision, "allow");
    assert.equal((await server.api("GET", "/rules")).items.length, 1);
  },

  "what is always approved becomes a rule": async ({ server, as }) => {
    for (let time = 0; time < 3; time += 1) {
      const id = await server.asked("npm run lint");
      await server.api("POST", `/interactions/${id}/respond`, { decision: "approve" });
    }
    const page = await as("root", "operator");
    await until(async () => {
      await page.goto("/insights");
      await page.locator("[data-figure]").first().waitFor();
      return (await page.locator("[data-always]").count()) === 1;
    }, "the calls are counted");
    await page.locator("[data-always]").getByText("Make this a rule").click();
    await page.waitForURL(/\/rules/);
    const form = page.getByRole("form", { name: "A new rule" });
    assert.equal(await form.getByLabel("Tool").inputValue(), "bash(npm run lint)");
    await form.getByRole("button", { name: "See what it would change" }).click();
    await form.locator("[data-trial][data-allowed='3']").waitFor();
    await saveRule(page);
    await page.locator("[data-rule]").waitFor();
    assert.equal((await server.ask("bash", { command: "npm run lint" }, { user_id: "ann" })).decision, "allow");
  },
};

/** What is done with one thing of the policy: tried out first, and then saved. */
function things(page, kind, name) {
  const row = page.locator(`[data-thing='${kind} ${name}']`);
  const tried = async (part, save) => {
    await part.getByRole("button", { name: "See what it would change" }).click();
    await part.locator("[data-trial]").waitFor();
    await part.getByRole("button", { name: save, exact: true }).click();
    await part.waitFor({ state: "detached" });
  };
  return {
    create: async (title, fill) => {
      await page.goto("/rules");
      await page.getByRole("button", { name: title, exact: true }).click();
      const form = page.getByRole("form", { name: title });
      await fill(form);
      await tried(form, "Save");
      await row.waitFor();
    },
    edit: async (fill) => {
      await row.getByRole("button", { name: `Edit ${name}`, exact: true }).click();
      const form = page.getByRole("form", { name: `Change ${name}` });
      await fill(form);
      await tried(form, "Save");
    },
    remove: async () => {
      await row.getByRole("button", { name: `Remove ${name}…`, exact: true }).click();
      await tried(page.getByRole("region", { name: `Remove ${name}` }), "Remove");
      await row.waitFor({ state: "detached" });
    },
  };
}
