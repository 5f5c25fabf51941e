// Runs, agents, more than one person, settings, and the page on a phone.
import assert from "node:assert/strict";
import { settings } from "../drive-screens.mjs";
import { approve, button, cardOf, command, matches, open, outcome, rows } from "./acts.mjs";

const PHONE = { viewport: { width: 375, height: 667 }, hasTouch: true };

export const flows = {
  "a run is started, followed and read to its end": {
    turns: command("echo ran > out", "it is done"),
    act: async ({ server, as }) => {
      const page = await as("kim", "approver");
      await page.goto("/runs");
      await page.getByRole("radio", { name: /^worker\b/ }).check();
      await page.getByLabel("What should it do?").fill("do it");
      await button(page, "Start").click();
      await page.waitForURL(/\/runs\/run_/);
      await page.locator("li[data-event=execution_suspended]").waitFor();
      const other = await page.context().newPage();
      const [{ id }] = await server.open(1);
      await approve(other, id);
      await page.locator("li[data-event=run_completed]").waitFor();
      await page.locator("[data-run-status=completed]").waitFor();
      await page.getByText("it is done").first().waitFor();
    },
  },

  "a run is stopped with a reason": {
    turns: command("echo ran > out"),
    act: async ({ server, as }) => {
      const page = await as("kim", "approver");
      const run = await server.start();
      await server.open(1);
      await page.goto(`/runs/${run}`);
      await button(page, "Stop this run…").click();
      await page.getByLabel("Reason").last().fill("no longer needed");
      await button(page, "Stop this run").click();
      await page.locator("li[data-event=run_cancelled]").waitFor();
      matches(await page.locator("li[data-event=run_cancelled]").textContent(), /kim stopped the run/);
      await server.ends(run, "cancelled");
    },
  },

  "a letter to the agent is read before it speaks next": {
    turns: command("echo ran > out", "understood"),
    act: async ({ server, as }) => {
      const page = await as("kim", "approver");
      const run = await server.start();
      const [{ id }] = await server.open(1);
      await page.goto(`/runs/${run}`);
      await page.getByLabel("Write to worker").fill("leave the tests alone");
      await button(page, "Send").click();
      await page.getByText("Sent.").waitFor();
      await page.locator("li[data-event=message_received]").waitFor();
      await approve(page, id);
      await server.ends(run);
      matches(server.model.last(), /leave the tests alone/);
    },
  },

  "agents are shown with their tools, and who is at work is stopped there": {
    turns: command("echo ran > out"),
    act: async ({ server, as }) => {
      const page = await as("kim", "approver");
      const run = await server.start();
      await server.open(1);
      await page.goto("/agents");
      const agent = page.locator("[data-agent=worker]");
      await agent.getByText("1 run at work").waitFor();
      for (const tool of ["ask_user", "bash"]) await agent.getByText(tool, { exact: true }).waitFor();
      await button(agent, "Stop this run…").click();
      await button(agent, "Stop this run").click();
      await agent.getByText("Not at work").waitFor();
      await server.ends(run, "cancelled");
    },
  },

  "the language is switched, and stays": async ({ server, as }) => {
    const page = await as("kim", "approver");
    for (const [language, theme, lang, title] of [
      ["简体中文", "dark", "zh-Hans", "设置"],
      ["日本語", "light", "ja", "設定"],
    ]) {
      const seen = await settings(page, null, language, theme);
      assert.deepEqual([seen.lang, seen.title, seen.theme], [lang, title, theme]);
    }
    const id = await server.asked("make deploy");
    await page.goto(`/interactions/${id}`);
    await button(cardOf(page, id), "却下…").waitFor();
    const back = await settings(page, null, "English", "system");
    assert.deepEqual([back.lang, back.title], ["en", "Settings"]);
  },

  "a browser that speaks Chinese is spoken to in Chinese": async ({ as }) => {
    const page = await as("kim", "approver", { locale: "zh-CN" });
    await page.goto("/settings");
    await page.getByRole("heading", { level: 1, name: "设置" }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.lang), "zh-Hans");
  },

  "on a phone one sees the list, then the one, and decides": async ({ server, as }) => {
    const page = await as("lee", "approver", PHONE);
    const id = await server.asked("make deploy");
    await page.goto("/");
    await page.getByRole("link", { name: /make deploy/ }).click();
    const card = cardOf(page, id);
    await card.waitFor();
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
    matches(await approve(page, id), /You approved this call/);
    await page.getByRole("link", { name: /All that wait/ }).click();
    await page.getByText("Nothing waits for you").waitFor();
  },

  "on a phone every screen is reached by the menu, and none is wider than it": async ({ server, as }) => {
    await server.asked("make deploy");
    const page = await as("root", "operator", PHONE);
    await page.goto("/settings");
    const places = { Chat: "/chat", Runs: "/runs", Agents: "/agents", Rules: "/rules", Audit: "/audit" };
    for (const [name, path] of Object.entries({ ...places, Insights: "/insights", Settings: "/settings" })) {
      await page.locator("button[data-menu]").click();
      await page.getByRole("link", { name: new RegExp(`^${name}`) }).click();
      await page.waitForURL(new RegExp(path));
      await page.locator(":is(h1, h2):visible").first().waitFor();
      assert.equal(await page.locator("nav:popover-open").count(), 0);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), name);
    }
  },

  "two people approve where two must": {
    config: "policy: { rules: [ { name: two, priority: 1, tool: pay, effect: require_human, approvals: 2 } ] }",
    act: async ({ server, as }) => {
      const { interaction_id: id } = await server.ask("pay", { amount: 7 });
      const [ann, lee] = [await as("ann", "approver"), await as("lee", "approver")];
      await lee.goto("/");
      matches(await rows(lee).first().textContent(), /0 of 2 approvals.*for kim/);
      const first = await open(ann, id);
      await first.getByText("0 of 2 approvals given").waitFor();
      await button(first, "Approve").click();
      await first.getByText("You have approved. It still needs somebody else.").waitFor();
      await rows(lee).first().getByText("1 of 2 approvals").waitFor();
      const second = await open(lee, id);
      await second.getByText("1 of 2 approvals given").waitFor();
      await button(second, "Approve").click();
      matches(await outcome(second), /You approved this call/);
      matches(await outcome(first), /Approved by lee/);
    },
  },

  "where somebody else must decide, the one who asked does not": {
    config: "policy: { rules: [ { name: other, priority: 1, tool: pay, effect: second_person } ] }",
    act: async ({ server, as }) => {
      const { interaction_id: id } = await server.ask("pay", { amount: 7 });
      const [kim, lee] = [await as("kim", "approver"), await as("lee", "approver")];
      await kim.goto(`/interactions/${id}`);
      await cardOf(kim, id).getByText("The run is on your behalf. Somebody else must decide.").waitFor();
      assert.equal(await button(cardOf(kim, id), "Approve").count(), 0);
      matches(await approve(lee, id), /You approved this call/);
    },
  },
};
