// Every screen, light and dark, on a desktop and a phone, against the rules of WCAG 2.2 that a program can check.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { launch, readThrough } from "./browser.mjs";
import { Fake, furnish } from "./fake-server.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const fake = new Fake();
let base;
let browser;

before(async () => {
  base = await fake.listen();
  browser = await launch();
});
after(async () => {
  await browser.close();
  await fake.close();
});

const LOOKS = {
  "on a desktop": { viewport: { width: 1360, height: 900 } },
  "in the dark": { viewport: { width: 1360, height: 900 }, colorScheme: "dark" },
  "on a phone": { viewport: { width: 390, height: 844 } },
};

for (const [look, settings] of Object.entries(LOOKS)) {
  test(`every screen ${look}`, async () => {
    fake.interactions.clear();
    fake.runs.clear();
    furnish(fake);
    fake.people.cs_link_axe = { kind: "user", name: "kim", role: "approver", groups: [], acts_for: null };
    const context = await browser.newContext({ ...settings, reducedMotion: "reduce" });
    const page = await context.newPage();
    const outside = [];
    page.on("request", (request) => request.url().startsWith(base) || outside.push(request.url()));
    const problems = [];
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => /Content Security Policy/.test(message.text()) && problems.push(message.text()));

    problems.push(...(await check(page, "/runs")));
    problems.push(...(await check(page, "/sign-in#cs_link_wrong")));
    await page.goto(`${base}/sign-in#cs_link_axe`);
    await page.locator("button[data-account]").waitFor();
    problems.push(...(await check(page, "/")));
    for (const id of fake.interactions.keys()) problems.push(...(await check(page, `/interactions/${id}`)));
    for (const [purpose, button] of FORMS) {
      const asked = [...fake.interactions.values()].find(purpose);
      problems.push(...(await check(page, `/interactions/${asked.id}`, button)));
    }
    problems.push(...(await check(page, "/runs")));
    const open = [...fake.runs.values()].find(({ status }) => status === "waiting");
    problems.push(...(await check(page, `/runs/${open.id}`, "Stop this run…")));
    for (const id of fake.runs.keys()) problems.push(...(await check(page, `/runs/${id}`)));
    problems.push(...(await check(page, "/chat")));
    problems.push(...(await check(page, `/chat/${open.session_id}`, "Stop this run…")));
    problems.push(...(await check(page, "/agents", "Stop this run…")));
    problems.push(...(await check(page, "/settings")));
    problems.push(...(await check(page, "/rules", "Ask the policy")));
    problems.push(...(await check(page, "/rules", "Add")));
    for (const who of fake.sessions.values()) who.role = "operator";
    problems.push(...(await check(page, "/audit", "Verify now")));
    problems.push(...(await check(page, "/audit?status=rejected")));
    problems.push(...(await check(page, "/rules", "New rule")));
    problems.push(...(await check(page, "/insights")));
    problems.push(...(await check(page, "/nowhere")));
    assert.deepEqual(problems, []);
    assert.deepEqual(outside, [], "the page asks nobody but its own server");
    await context.close();
  });
}

/** What opens when a button is pressed: a form that was sent empty shows what does not fit. */
const FORMS = [
  [({ purpose }) => purpose === "approval", "Reject…"],
  [({ remember_options }) => remember_options.length > 0, "Approve and remember…"],
  [({ purpose }) => purpose === "result_review", "Replace…"],
  [({ purpose }) => purpose === "result_review", "Withhold…"],
  [({ purpose }) => purpose === "question", "Send answer"],
  [({ purpose }) => purpose === "question", "Decline…"],
];

/** What is wrong with the page at `path`, once `button` is pressed if one is named. */
async function check(page, path, button) {
  await page.goto(base + path);
  await page.locator(":is(h1, h2, form):visible").first().waitFor();
  if (button !== undefined) {
    await readThrough(page);
    await page.getByRole("button", { name: button, exact: true }).first().click();
    // What is half below the header is no smaller for it.
    await page.evaluate(() => window.scrollTo(0, 0));
  }
  await page.waitForTimeout(300);
  await page.evaluate(axe);
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const { violations } = await page.evaluate((values) => window.axe.run({ runOnly: { type: "tag", values } }), tags);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
  const found = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, any }) => `${new URL(page.url()).pathname}: ${id} at ${target}: ${any[0]?.message ?? ""}`),
  );
  return wide ? [...found, `${path}: wider than the screen`] : found;
}
