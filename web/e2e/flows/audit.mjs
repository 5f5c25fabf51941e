// The record: read, verified, taken along; and what it says about asking.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { audit, insights } from "../drive-screens.mjs";
import { until } from "../server.mjs";
import { button, command, matches, placed, reject } from "./acts.mjs";

async function download(page, name) {
  const coming = page.waitForEvent("download");
  await page.getByRole("link", { name, exact: true }).click();
  return readFileSync(await (await coming).path(), "utf8");
}

export const flows = {
  "the record is filtered, opened, verified and exported": async ({ server, as }) => {
    const kim = await as("kim", "approver");
    await server.asked("make other");
    await reject(kim, await server.asked("rm -rf build"), "use make clean");
    await placed(server);
    const page = await as("root", "operator");
    const found = await audit(page, null, "status=rejected");
    assert.deepEqual(
      found.calls.map(({ status }) => status),
      ["rejected"],
    );
    matches(found.detail, /rm -rf build.*use make clean/);
    matches(found.verified, /Verified/);
    assert.equal(found.file, "audit.csv");
    matches(found.exported, /rm -rf build/);
    assert.ok(!found.exported.includes("make other"), "the filter holds for the file");
  },

  "an export is opened and says what was seen": async ({ server, as }) => {
    const kim = await as("kim", "approver");
    await reject(kim, await server.asked("rm -rf build"), "use make clean");
    await placed(server);
    const page = await as("root", "operator");
    await page.goto("/audit");
    await page.locator("li[data-call]").first().waitFor();
    const calls = JSON.parse(await download(page, "JSON"));
    const [call] = Array.isArray(calls) ? calls : calls.items;
    assert.equal(call.status, "rejected");
    assert.equal(call.answers[0].reason, "use make clean");
    const lines = (await download(page, /^JSON lines/))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.ok(lines.length > 3, `${lines.length} lines`);
  },

  "the filters of the record are filled in and cleared": async ({ server, as }) => {
    await server.asked("make one");
    await server.ask("deploy", { to: "shop" });
    await placed(server);
    const page = await as("root", "operator");
    await page.goto("/audit");
    const calls = page.locator("li[data-call]");
    await calls.nth(1).waitFor();
    await page.getByLabel("Tool", { exact: true }).fill("deploy");
    await button(page, "Filter").click();
    await until(async () => (await calls.count()) === 1, "one call is left");
    matches(await calls.first().textContent(), /deploy/);
    await button(page, "Clear").click();
    await until(async () => (await calls.count()) === 2, "both are there again");
  },

  "the policy is asked again about a call of the record": async ({ server, as }) => {
    await server.asked("make one");
    await placed(server);
    const page = await as("root", "operator");
    await page.goto("/audit");
    await page.locator("li[data-call]").first().getByRole("button").first().click();
    await page.getByText("Why? Ask the policy again").click();
    await page.waitForURL(/\/rules/);
    matches(await page.getByLabel("Arguments, as JSON").inputValue(), /make one/);
    await button(page, "Ask the policy").click();
    await page.locator("[data-verdict=ask]").waitFor();
  },

  "whoever is no operator reads the record, and takes no file along": async ({ server, as }) => {
    await server.asked("make mine");
    await server.asked("make theirs", { user_id: "lee" });
    await placed(server);
    const page = await as("kim", "approver");
    await page.goto("/audit");
    await page.locator("li[data-call]").nth(1).waitFor();
    assert.equal(await page.getByRole("link", { name: "CSV" }).count(), 0);
    assert.equal(await button(page, "Verify now").count(), 0);
  },

  "asking is counted": {
    turns: command("make one"),
    act: async ({ server, as }) => {
      const respond = (id, decision) => server.api("POST", `/interactions/${id}/respond`, { decision });
      for (const line of ["make one", "make two", "make three"]) await respond(await server.asked(line), "approve");
      await respond(await server.asked("make four"), "reject");
      await server.asked("make five");
      await placed(server);
      const page = await as("root", "operator");
      const seen = await insights(page);
      assert.equal(seen.figures.Asked, "5");
      assert.equal(seen.figures["Approved, of those answered"], "75 %");
      matches(seen.days.at(-1), /53$/);
    },
  },
};
