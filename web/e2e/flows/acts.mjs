// What flows do with a card, as a person would.
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { readThrough } from "../browser.mjs";
import { until } from "../server.mjs";

/** The card of a question. */
export const cardOf = (page, id) => page.locator(`article[data-interaction="${id}"]`);

/** Opens a question, and looks at all of it. */
export async function open(page, id) {
  await page.goto(`/interactions/${id}`);
  const card = cardOf(page, id);
  await card.locator("footer button").first().waitFor();
  await readThrough(card);
  return card;
}

export const button = (place, name) => place.getByRole("button", { name, exact: true });

/** What the page says once a question is settled. */
export async function outcome(card) {
  const says = card.locator("footer").locator("[role=status], [role=alert]").first();
  await says.waitFor();
  return says.textContent();
}

export async function approve(page, id) {
  const card = await open(page, id);
  await button(card, "Approve").click();
  return outcome(card);
}

export async function reject(page, id, reason) {
  const card = await open(page, id);
  await button(card, "Reject…").click();
  await card.getByLabel("Reason").fill(reason);
  await button(card, "Reject this call").click();
  return outcome(card);
}

/** What the rows of the inbox say. */
export const rows = (page) => page.getByRole("list", { name: /^Questions that wait/ }).getByRole("listitem");

/** Waits until `count` rows are there. */
export async function rowsAre(page, count) {
  await rows(page)
    .nth(count - 1)
    .waitFor();
  await page.waitForFunction(
    ([count]) => document.querySelectorAll("ul[aria-label^='Questions that wait'] > li").length === count,
    [count],
  );
}

export function matches(text, pattern) {
  assert.match((text ?? "").replace(/\s+/g, " "), pattern);
}

/** A model that proposes one command and then has a last word. */
export const command = (line, last = "all done") => [[{ tool: "bash", args: { command: line } }], last];

/** A model that asks one thing. */
export const question = (form, last = "thank you") => [[{ tool: "ask_user", args: form }], last];

/** How many bytes of scripts the page loaded, as they travel compressed. */
export async function sizeOfScripts(page) {
  const names = await page.evaluate(() =>
    window.performance.getEntriesByType("resource").flatMap(({ name }) => (name.endsWith(".js") ? [name] : [])),
  );
  const bodies = await Promise.all(names.map(async (name) => Buffer.from(await (await fetch(name)).arrayBuffer())));
  return bodies.map((body) => gzipSync(body).length).reduce((sum, each) => sum + each, 0);
}

/** Everything that happened has its place in the log. */
export const placed = (server) =>
  until(async () => (await server.api("GET", "/audit/verify")).waiting === 0, "every event has its place");
