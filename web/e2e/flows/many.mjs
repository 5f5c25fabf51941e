// An inbox that is very full.
import assert from "node:assert/strict";
import { until } from "../server.mjs";
import { approve, matches, rows } from "./acts.mjs";

const COUNT = process.env.COUNTERSIGN_FULL === "1" ? 10_000 : 1000;
const PAGE = 200;
const AT_ONCE = 16;

/** Lets one who asks have as many questions open. */
export const CROWDED = "hitl: { max_open_per_agent: 20000 }";

/** Has `count` calls wait, none like another. */
export async function crowd(server, count) {
  let next = 0;
  const lane = async () => {
    for (let number = next++; number < count; number = next++) await server.asked(`make part-${number}-of-all`);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

export const flows = {
  "of a crowd that waits a page is drawn, and the filter finds what is behind it": {
    config: CROWDED,
    act: async ({ server, as }) => {
      await crowd(server, COUNT);
      const page = await as("lee", "approver");
      const asked = [];
      page.on("request", (request) => /\/api\/interactions\?/.test(request.url()) && asked.push(request.url()));
      await page.goto("/");
      await rows(page)
        .nth(PAGE - 1)
        .waitFor();
      await page.getByText("More than 200 questions wait").waitFor();
      assert.equal(await rows(page).count(), PAGE);
      const nodes = await page.evaluate(() => document.querySelectorAll("*").length);
      assert.ok(nodes < 8000, `${nodes} elements`);
      assert.ok(!asked.some((address) => address.includes("after=")), asked.join());
      // The one that ends last is on no page that was read.
      const last = `part-${COUNT - 1}-of-all`;
      const { items } = await server.api("GET", `/interactions?search=${last}`);
      assert.equal(items.length, 1);
      await page.getByLabel("Filter what waits").fill(last.toUpperCase());
      await until(async () => (await rows(page).count()) === 1, "one is left");
      matches(await rows(page).first().textContent(), new RegExp(last));
      await rows(page).first().click();
      await page.waitForURL(new RegExp(items[0].id));
      matches(await approve(page, items[0].id), /You approved this call/);
      assert.deepEqual((await server.api("GET", `/interactions?search=${last}`)).items, []);
    },
  },
};
