// What `drive.mjs` does in a conversation with an agent.
import { readThrough } from "./browser.mjs";

/**
 * Says `text` to `agent` and then does what `steps` name, one after the other. Gives each turn as the page shows it once
 * the last has ended: how it stands, what was said, and the lines of every step unfolded.
 */
export async function chat(page, _context, agent, text, steps) {
  await page.goto("/chat");
  await page.getByRole("radio", { name: new RegExp(`^${agent}\\b`) }).check();
  await page.getByLabel(`Write to ${agent}`).fill(text);
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.waitForURL(/\/chat\/ses_/);
  const found = [];
  for (const [name, given] of JSON.parse(steps)) found.push(await STEPS[name](page, given, agent));
  await page.locator("[data-turn]").last().and(page.locator(ENDED)).waitFor();
  return { at: new URL(page.url()).pathname, found: found.filter(Boolean), turns: await turns(page) };
}

/** Answers a request and all that are exactly the same with one press; gives the rows of the inbox before, and what is said. */
export async function together(page, _context, id, button) {
  await page.goto(`/interactions/${id}`);
  const card = page.locator(`article[data-interaction="${id}"]`);
  await card.waitFor();
  const rows = page.getByRole("list", { name: /^Questions that wait/ }).getByRole("listitem");
  await rows.first().waitFor();
  const before = await rows.allTextContents();
  await readThrough(card);
  await card.getByLabel(/exactly the same, too$/).check();
  await card.getByRole("button", { name: button, exact: true }).click();
  await card.locator("footer [role=status]").waitFor();
  return { before, says: await card.locator("footer").textContent() };
}

const ENDED = ["completed", "failed", "cancelled", "set_aside"].map((word) => `[data-run-status=${word}]`).join();

const open = (page) => page.locator("article[data-interaction][data-status=open]").last();

const STEPS = {
  /** Waits for a question, loads the page again, and gives the question's heading before and after. */
  async reload(page) {
    const heading = () => open(page).locator("h2").first().textContent();
    await open(page).waitFor();
    const before = await heading();
    await page.reload();
    await open(page).waitFor();
    return { before, after: await heading() };
  },

  async approve(page) {
    const card = open(page);
    await card.waitFor();
    await readThrough(card);
    await card.getByRole("button", { name: "Approve", exact: true }).click();
  },

  async reject(page, reason) {
    const card = open(page);
    await card.getByRole("button", { name: "Reject…", exact: true }).click();
    await card.getByLabel("Reason").fill(reason);
    await card.getByRole("button", { name: "Reject this call" }).click();
  },

  /** Fills in a form: what is chosen from, by the labels of each part. */
  async answer(page, fields) {
    const card = open(page);
    await card.waitFor();
    for (const [name, labels] of Object.entries(fields)) {
      const group = card.getByRole("radiogroup", { name }).or(card.getByRole("group", { name })).last();
      for (const label of labels) await group.getByLabel(label, { exact: true }).check();
    }
    await card.getByRole("button", { name: "Send answer", exact: true }).click();
  },

  async stop(page, reason) {
    await open(page).waitFor();
    // What was looked at stays where it is; what nobody had the time to see goes.
    await page.waitForTimeout(1000);
    await page.getByRole("button", { name: "Stop this run…" }).click();
    await page.getByLabel("Reason").last().fill(reason);
    await page.getByRole("button", { name: "Stop this run", exact: true }).click();
    await page.getByText("This question was withdrawn").first().waitFor();
  },

  /** Says something more once the turn before has ended, by the Enter key. */
  async say(page, text, agent) {
    const before = await page.locator("[data-turn]").count();
    await page.locator("[data-turn]").last().and(page.locator(ENDED)).waitFor();
    await page.getByLabel(`Write to ${agent}`).fill(text);
    await page.keyboard.press("Enter");
    await page.locator("[data-turn]").nth(before).waitFor();
  },
};

async function turns(page) {
  const seen = page.locator("[data-turn]");
  // What a turn's stream brings last may still be on its way.
  await page.waitForTimeout(500);
  return seen.evaluateAll((all) =>
    all.map((turn) => ({
      status: turn.dataset.runStatus,
      said: [...turn.querySelectorAll("[data-said]")].map((words) => words.textContent),
      steps: [...turn.querySelectorAll("[data-steps] [data-line]")].map((line) => line.textContent),
      told: [...turn.querySelectorAll("[role=status], [role=alert]")].map((note) => note.textContent),
    })),
  );
}
