// Talking to an agent.
import assert from "node:assert/strict";
import { readThrough } from "../browser.mjs";
import { button, command, matches, question } from "./acts.mjs";

/** A promise that somebody else keeps. */
function promised() {
  let keep;
  const promise = new Promise((done) => {
    keep = done;
  });
  return { promise, keep };
}

async function talk(page, text) {
  await page.goto("/chat");
  await page.getByRole("radio", { name: /^worker\b/ }).check();
  await page.getByLabel("Write to worker").fill(text);
  await button(page, "Send").click();
  await page.waitForURL(/\/chat\/ses_/);
}

const asked = (page) => page.locator("article[data-interaction][data-status=open]").last();
const ended = (page, status = "completed") => page.locator(`[data-turn][data-run-status=${status}]`).last();
const heard = promised();

export const flows = {
  "a chat runs into an approval, the page is loaded again, and the run goes on": {
    turns: command("echo ran > out", "it is done"),
    act: async ({ server, as }) => {
      const page = await as("kim", "approver");
      await talk(page, "do it");
      await asked(page).waitFor();
      await page.reload();
      await asked(page).waitFor();
      await readThrough(asked(page));
      await button(asked(page), "Approve").click();
      await ended(page).getByText("it is done").waitFor();
      assert.ok(server.model.asked.length === 2, "the agent was asked twice");
      await page.reload();
      await ended(page).getByText("it is done").waitFor();
    },
  },

  "a rejection in a chat is answered by the agent": {
    turns: command("rm -rf build", "then I leave it"),
    act: async ({ server, as }) => {
      const page = await as("kim", "approver");
      await talk(page, "tidy up");
      await button(asked(page), "Reject…").click();
      await page.getByLabel("Reason").fill("not this folder");
      await button(page, "Reject this call").click();
      await ended(page).getByText("then I leave it").waitFor();
      matches(server.model.last(), /not this folder/);
    },
  },

  "a form is filled in within a chat": {
    turns: question({ title: "Whom to greet?", type: "input" }, "greeted"),
    act: async ({ server, as }) => {
      const page = await as("kim", "approver");
      await talk(page, "greet somebody");
      await asked(page).getByLabel("Your answer").fill("Ada");
      await button(asked(page), "Send answer").click();
      await ended(page).getByText("greeted").waitFor();
      matches(server.model.last(), /Ada/);
    },
  },

  "an answer is read while it is spoken, and stands there once": {
    turns: [{ counts: heard.promise, rest: "and that is all." }],
    act: async ({ server, as }) => {
      const page = await as("kim", "approver");
      await talk(page, "count for me");
      const said = page.locator("[data-said=agent]");
      await said.getByText(/\d, \d/).waitFor();
      assert.equal(await page.locator("[data-turn]").getAttribute("data-run-status"), "running");
      heard.keep();
      await ended(page).waitFor();
      const { items } = await server.api("GET", "/runs");
      const whole = /^1, 2, .*and that is all\.$/;
      matches(items[0].output, whole);
      await said.getByText(items[0].output).waitFor();
      assert.equal(await said.count(), 1);
      await page.reload();
      await said.getByText(items[0].output).waitFor();
      assert.equal(await said.count(), 1);
    },
  },

  "a chat goes on for another turn, and is found again among all": {
    turns: ["first reply", "second reply"],
    act: async ({ server, as }) => {
      const page = await as("kim", "approver");
      await talk(page, "hello there");
      await ended(page).getByText("first reply").waitFor();
      await page.getByLabel("Write to worker").fill("and now?");
      await page.keyboard.press("Enter");
      await page.locator("[data-turn]").nth(1).getByText("second reply").waitFor();
      matches(server.model.last(), /first reply/);
      await page.goto("/chat");
      await page
        .getByRole("link", { name: /hello there|and now|2 turns/ })
        .first()
        .click();
      await page.locator("[data-turn]").nth(1).getByText("second reply").waitFor();
    },
  },

  "a chat is stopped where it waits, and the question is withdrawn": {
    turns: command("echo ran > out"),
    act: async ({ server, as }) => {
      const page = await as("kim", "approver");
      await talk(page, "do it");
      await button(asked(page), "Reject…").and(page.locator(":enabled")).waitFor();
      await button(page, "Stop this run…").click();
      await page.getByLabel("Reason").last().fill("the wrong folder");
      await button(page, "Stop this run").click();
      await ended(page, "cancelled")
        .getByText(/the wrong folder/)
        .first()
        .waitFor();
      await server.open(0);
      assert.equal(server.wrote("out"), undefined);
    },
  },

  "the steps of a turn unfold to what happened": {
    turns: command("echo ran > out", "it is done"),
    config: "policy: { rules: [ { name: all, priority: 1, tool: bash, effect: allow } ] }",
    act: async ({ as }) => {
      const page = await as("kim", "approver");
      await talk(page, "do it");
      await ended(page).getByText("it is done").waitFor();
      await page.locator("[data-steps] summary").first().click();
      for (const line of ["worker proposes bash", "The policy allows bash", "bash finished"]) {
        await page.locator("[data-steps]").getByText(line, { exact: true }).last().waitFor();
      }
    },
  },
};
