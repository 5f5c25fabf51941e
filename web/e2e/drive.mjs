// Does one thing in the page with a real browser, and prints what came of it as JSON.
//
//   node web/e2e/drive.mjs BASE_URL sign-in LINK_URL            keeps the session in the file of --state
//   node web/e2e/drive.mjs BASE_URL approve INTERACTION_ID
//   node web/e2e/drive.mjs BASE_URL reject INTERACTION_ID REASON
//   node web/e2e/drive.mjs BASE_URL decide INTERACTION_ID BUTTON    presses the button of that name: "It happened"
//   node web/e2e/drive.mjs BASE_URL answer INTERACTION_ID FIELDS    JSON: {"Name": "Kim", "Size": ["Large"]}
//   node web/e2e/drive.mjs BASE_URL see-run RUN_ID              --until TYPE waits for an event of that type
//   node web/e2e/drive.mjs BASE_URL start-run AGENT INPUT
//   node web/e2e/drive.mjs BASE_URL chat AGENT TEXT STEPS       JSON: [["reload"], ["reject", "not today"], ["say", "go on"]]
//   node web/e2e/drive.mjs BASE_URL spoofs                      walks all that waits: does anything run, hide or move?
//   node web/e2e/drive.mjs BASE_URL together INTERACTION_ID BUTTON  the same for all that are exactly the same
//   node web/e2e/drive.mjs BASE_URL why CALL                    JSON: {"tool": "bash", "args": {…}, "user": …}
//   node web/e2e/drive.mjs BASE_URL grant allow|deny PATTERN    adds it, on the signed-in user
//   node web/e2e/drive.mjs BASE_URL take-back PATTERN
//   node web/e2e/drive.mjs BASE_URL audit FILTERS               a query: "tool=bash"; opens the first, verifies, exports
//   node web/e2e/drive.mjs BASE_URL insights                    what is counted
//   node web/e2e/drive.mjs BASE_URL settings LANGUAGE THEME     by their names on the page: "日本語" "dark"
//   node web/e2e/drive.mjs BASE_URL keys PATH KEYS              presses "j a" one after the other, and says where that led
//   node web/e2e/drive.mjs BASE_URL screenshot PATH FILE        --phone, --dark
//
// Options: --state FILE (default: none), --timeout SECONDS (default: 30, for each thing that is waited for).
// Exits with 1 and one sentence on stderr where it fails, 2 where it is called in another way than above.
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { firstOf, launch, picture, readThrough } from "./browser.mjs";
import { chat, together } from "./drive-chat.mjs";
import { audit, grant, insights, keys, settings, takeBack, why } from "./drive-screens.mjs";
import { spoofs } from "./drive-spoofs.mjs";

const ACTIONS = {
  "sign-in": signIn,
  approve,
  reject,
  decide,
  answer,
  "see-run": seeRun,
  "start-run": startRun,
  chat,
  spoofs,
  together,
  why,
  grant,
  "take-back": takeBack,
  audit,
  insights,
  settings,
  keys,
  screenshot,
};
const ARGUMENTS = {
  "sign-in": 1,
  approve: 1,
  reject: 2,
  decide: 2,
  answer: 2,
  "see-run": 1,
  "start-run": 2,
  chat: 3,
  spoofs: 0,
  together: 2,
  why: 1,
  grant: 2,
  "take-back": 1,
  audit: 1,
  insights: 0,
  settings: 2,
  keys: 2,
  screenshot: 2,
};

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    state: { type: "string" },
    timeout: { type: "string", default: "30" },
    until: { type: "string" },
    phone: { type: "boolean", default: false },
    dark: { type: "boolean", default: false },
  },
});
const [base, action, ...given] = positionals;
const timeout = Number(options.timeout) * 1000;

if (!base || !ACTIONS[action] || given.length !== ARGUMENTS[action] || !(timeout > 0)) {
  console.error(
    "usage: drive.mjs BASE_URL sign-in|approve|reject|decide|answer|see-run|start-run|chat|spoofs|together|why|grant|take-back|audit|insights|settings|keys|screenshot …; the file says more",
  );
  process.exit(2);
}

// Whatever hangs, this ends.
const guard = setTimeout(
  () => fail(new Error(`${action} did not end within ${(3 * timeout) / 1000 + 60} s`)),
  3 * timeout + 60_000,
);

const browser = await launch().catch(fail);
try {
  const context = await browser.newContext({
    baseURL: base,
    viewport: options.phone ? { width: 390, height: 844 } : { width: 1360, height: 900 },
    deviceScaleFactor: options.phone ? 2 : 1,
    colorScheme: options.dark ? "dark" : "light",
    ...(options.state && action !== "sign-in" && existsSync(options.state) && { storageState: options.state }),
  });
  context.setDefaultTimeout(timeout);
  const page = await context.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  const found = await ACTIONS[action](page, context, ...given);
  if (errors.length > 0) throw new Error(`the page threw: ${errors.join("; ")}`);
  console.log(JSON.stringify(found));
} catch (error) {
  await browser.close().catch(() => {});
  fail(error);
}
await browser.close();
clearTimeout(guard);

async function signIn(page, context, link) {
  await page.goto(new URL(link, base).href);
  const account = page.locator("button[data-account]");
  if ((await firstOf([account, page.getByRole("alert")], timeout)) !== 0)
    throw new Error(await whatIsWrong(page, "signed in"));
  if (page.url().includes("#")) throw new Error("the secret is still in the address");
  if (options.state) await context.storageState({ path: options.state });
  return {
    signed_in: (await account.locator("span:not([aria-hidden])").allTextContents()).join(" ").replace(/\s+/g, " "),
    at: new URL(page.url()).pathname,
  };
}

async function approve(page, _context, id) {
  const card = await open(page, id, "Approve");
  await card.getByRole("button", { name: "Approve", exact: true }).click();
  return outcome(page, card, id);
}

async function decide(page, _context, id, button) {
  const card = await open(page, id, button);
  await card.getByRole("button", { name: button, exact: true }).click();
  return outcome(page, card, id);
}

/** Fills in a form: words into a field, a list of labels into what is chosen from. */
async function answer(page, _context, id, fields) {
  const card = await open(page, id, "Send answer");
  for (const [name, value] of Object.entries(JSON.parse(fields))) {
    if (typeof value === "string") {
      await card.getByLabel(name, { exact: true }).fill(value);
    } else {
      const group = card.getByRole("radiogroup", { name }).or(card.getByRole("group", { name })).last();
      for (const label of value) await group.getByLabel(label, { exact: true }).check();
    }
  }
  await card.getByRole("button", { name: "Send answer", exact: true }).click();
  return outcome(page, card, id);
}

async function reject(page, _context, id, reason) {
  const card = await open(page, id, "Reject…");
  await card.getByRole("button", { name: "Reject…", exact: true }).click();
  await card.getByLabel("Reason").fill(reason);
  await card.getByRole("button", { name: "Reject this call" }).click();
  return outcome(page, card, id);
}

/** The card of a question that waits. */
async function open(page, id, name) {
  await page.goto(new URL(`/interactions/${id}`, base).href);
  const card = page.locator(`[data-interaction="${id}"]`);
  const button = card.getByRole("button", { name, exact: true });
  const settled = card.locator("footer").getByRole("status");
  const seen = await firstOf([button, settled], timeout);
  if (seen === 1) throw new Error(`\`${id}\` is settled already: ${await text(settled.first())}`);
  if (seen !== 0) throw new Error(await whatIsWrong(page, name));
  await readThrough(card);
  return card;
}

/** What the page says after an answer. */
async function outcome(page, card, id) {
  const notice = card.locator("footer").locator("[role=status], [role=alert]");
  if ((await firstOf([notice], timeout)) !== 0) throw new Error(await whatIsWrong(page, "answered"));
  const status = await card.getAttribute("data-status");
  const says = await text(notice.first());
  if ((await notice.first().getAttribute("role")) === "alert") throw new Error(`\`${id}\` was not answered: ${says}`);
  return { id, status, says };
}

async function seeRun(page, _context, id) {
  await page.goto(new URL(`/runs/${id}`, base).href);
  const rows = page.locator("li[data-event]");
  const wanted = options.until ? page.locator(`li[data-event="${options.until}"]`) : rows;
  if ((await firstOf([wanted], timeout)) !== 0) throw new Error(await whatIsWrong(page, options.until ?? "an event"));
  await settle(rows);
  const events = await rows.evaluateAll((all) =>
    all.map((row) => ({
      type: row.dataset.event,
      seq: row.dataset.seq === undefined ? null : Number(row.dataset.seq),
      text: row.querySelector("[data-line]")?.textContent ?? "",
    })),
  );
  return { id, status: await page.locator("[data-run-status]").getAttribute("data-run-status"), events };
}

async function startRun(page, _context, agent, input) {
  await page.goto(new URL("/runs", base).href);
  await page.getByRole("radio", { name: new RegExp(`^${agent}\\b`) }).check();
  await page.getByLabel("What should it do?").fill(input);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForURL(/\/runs\/run_/);
  return { id: new URL(page.url()).pathname.split("/").at(-1) };
}

async function screenshot(page, _context, path, file) {
  await page.goto(new URL(path, base).href);
  await page.locator(":is(h1, h2, form):visible").first().waitFor();
  // Until what is fetched has arrived and what settles has settled.
  await page.waitForTimeout(1200);
  await picture(page, file);
  return { file };
}

/** Waits until no row has been added for a while. */
async function settle(rows) {
  for (let before = -1, now = await rows.count(); before !== now; ) {
    await rows.page().waitForTimeout(400);
    before = now;
    now = await rows.count();
  }
}

async function whatIsWrong(page, wanted) {
  const alerts = await page.locator("[role=alert], footer [role=status]").allTextContents();
  const says = alerts.join(" ") || (await page.locator("#root").textContent()).replace(/\s+/g, " ").slice(0, 300);
  return `${action}: waited ${timeout / 1000} s for \`${wanted}\`; the page at ${new URL(page.url()).pathname} says: ${says}`;
}

async function text(locator) {
  return (await locator.locator("p").allTextContents()).join(" ").replace(/\s+/g, " ").trim();
}

function fail(error) {
  console.error(`drive: ${error.message.split("\n")[0]}`);
  process.exit(1);
}
