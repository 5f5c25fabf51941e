// Every flow in one real browser before the real server, two at a time; each has a server and a browser context of its own.
//
//   node web/e2e/flows.mjs              all of them; fails also where there are fewer than 40
//   node web/e2e/flows.mjs WORDS        only those whose names have the words in them
//
// The program is that of COUNTERSIGN_BIN, or else target/debug/countersign. A picture of what a failed flow saw last is
// left in target/screenshots/failed.
import { mkdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { launch } from "./browser.mjs";
import { flows as audit } from "./flows/audit.mjs";
import { flows as chat } from "./flows/chat.mjs";
import { flows as doors } from "./flows/doors.mjs";
import { flows as forms } from "./flows/forms.mjs";
import { flows as inbox } from "./flows/inbox.mjs";
import { flows as keys } from "./flows/keys.mjs";
import { flows as many } from "./flows/many.mjs";
import { flows as others } from "./flows/others.mjs";
import { flows as rules } from "./flows/rules.mjs";
import { Stage } from "./stage.mjs";

const LEAST = 40;
const LANES = 2;
const SHOTS = fileURLToPath(new URL("../../target/screenshots/failed/", import.meta.url));

const words = process.argv.slice(2).join(" ");
const all = Object.entries({ ...doors, ...inbox, ...forms, ...chat, ...rules, ...audit, ...others, ...keys, ...many });
const waiting = all.filter(([name]) => name.includes(words));
const failed = [];
const begin = Date.now();

rmSync(SHOTS, { recursive: true, force: true });
mkdirSync(SHOTS, { recursive: true });
const browser = await launch();
const count = waiting.length;
await Promise.all(Array.from({ length: LANES }, lane));
await browser.close();

console.log(`${count - failed.length} of ${count} flows passed in ${Math.round((Date.now() - begin) / 1000)} s`);
for (const name of failed) console.log(`FAILED: ${name}`);
if (words === "" && count < LEAST) console.log(`FAILED: there are ${count} flows, fewer than ${LEAST}`);
process.exit(failed.length > 0 || count === 0 || (words === "" && count < LEAST) ? 1 : 0);

async function lane() {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await play(...next);
}

async function play(name, flow) {
  const since = Date.now();
  const { act, ...how } = typeof flow === "function" ? { act: flow } : flow;
  const stage = new Stage(browser);
  try {
    await stage.start(how);
    await act(stage);
    if (stage.errors.length > 0) throw new Error(`the page threw: ${stage.errors.join("; ")}`);
    console.log(`ok   ${((Date.now() - since) / 1000).toFixed(1).padStart(5)} s  ${name}`);
  } catch (error) {
    failed.push(name);
    console.log(`FAIL ${((Date.now() - since) / 1000).toFixed(1).padStart(5)} s  ${name}\n${error.stack ?? error}`);
    await stage.pictures(`${SHOTS}${name.replaceAll(/\W+/g, "-")}`);
  }
  await stage.close();
}
