// Looks at every screen of a server in use: pictures of all into target/screenshots, and what a program can find that keeps
// people from using them (axe, WCAG 2.2).
//
//   node web/e2e/look.mjs
//
// Pictures are taken in English: light, dark, and on a phone. Axe looks at one language, width and choice of colours, by
// the commit or COUNTERSIGN_SEED; with COUNTERSIGN_FULL=1 at all of them.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { launch, picture } from "./browser.mjs";
import { catalogue } from "./catalogue.mjs";
import { furnished } from "./house.mjs";
import { APPROVER, DOOR, FRAME, OPERATOR } from "./screens.mjs";
import { Stage } from "./stage.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SHOTS = fileURLToPath(new URL("../../target/screenshots/", import.meta.url));
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const LANES = 2;

const LANGUAGES = { en: "en-GB", zh: "zh-CN", ja: "ja-JP" };
const WIDTHS = {
  desktop: { viewport: { width: 1360, height: 900 } },
  phone: { viewport: { width: 375, height: 812 }, hasTouch: true },
};
const COLOURS = ["light", "dark"];

const browser = await launch();
const { server, ids } = await furnished();
const tokens = { approver: await server.token("kim", "approver"), operator: await server.token("dana", "operator") };
const rounds = roundsOf();
const wrong = [];
let looked = 0;
await Promise.all(
  Array.from({ length: LANES }, async () => {
    for (let next = rounds.shift(); next !== undefined; next = rounds.shift()) await round(next);
  }),
);
await browser.close();
await server.close();
console.log(`looked at ${looked} screens; ${wrong.length} findings`);
for (const finding of wrong) console.log(finding);
process.exit(wrong.length === 0 && looked > 0 ? 0 : 1);

/** What is to be gone through: `{language, width, colour, pictures, axe}`. */
function roundsOf() {
  const every = Object.keys(LANGUAGES).flatMap((language) =>
    Object.keys(WIDTHS).flatMap((width) => COLOURS.map((colour) => ({ language, width, colour }))),
  );
  const full = process.env.COUNTERSIGN_FULL === "1";
  const drawn = full ? every : [every[seed() % every.length]];
  const found = every.map((look) => ({ ...look, axe: drawn.includes(look), pictures: hasPictures(look) }));
  return found.filter(({ axe, pictures }) => axe || pictures);
}

function hasPictures({ language, width, colour }) {
  return language === "en" && (width === "desktop" || colour === "light");
}

/** As the samples of other tests are drawn. */
function seed() {
  const digits = process.env.COUNTERSIGN_SEED ?? execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" });
  const number = Number.parseInt(digits.trim().slice(0, 12), 16);
  return Number.isNaN(number) ? 7 : number;
}

async function round(how) {
  const { language, width, colour } = how;
  const stage = new Stage(browser);
  stage.server = server;
  const say = await catalogue(language);
  const look = { ...WIDTHS[width], colorScheme: colour, locale: LANGUAGES[language] };
  const parts = [
    [await stage.stranger(look), DOOR],
    [await stage.signedIn(tokens.approver, look), [...APPROVER(ids), FRAME[width]]],
    [await stage.signedIn(tokens.operator, look), OPERATOR],
  ];
  for (const [page, screens] of parts) {
    const outside = [];
    page.on("request", (request) => request.url().startsWith(server.base) || outside.push(request.url()));
    page.on("console", (message) => /Content Security Policy/.test(message.text()) && outside.push(message.text()));
    for (const screen of screens) await see(page, screen, say, how);
    wrong.push(...outside.map((what) => `the page reached outside: ${what}`));
  }
  wrong.push(...stage.errors.map((what) => `the page threw: ${what}`));
  await stage.leave();
}

/** Goes to one screen, and looks. */
async function see(page, [name, path, act], say, { language, width, colour, axe, pictures }) {
  const here = `${name} (${language}, ${width}, ${colour})`;
  try {
    await page.goto(path);
    await page.locator(":is(h1, h2, form):visible").first().waitFor();
    await act?.(page, say);
    await page.locator(`[role=status][aria-label="${say.app.loading}"]`).first().waitFor({ state: "detached" });
    await page.evaluate(() => document.fonts.ready);
    looked += 1;
    if (await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth))
      wrong.push(`${here}: wider than the screen`);
    if (axe) wrong.push(...(await findings(page)).map((what) => `${here}: ${what}`));
    if (pictures) await picture(page, `${folder(width, colour)}${name}.png`);
  } catch (error) {
    wrong.push(`${here}: ${error.message}`);
    await page.screenshot({ path: `${folder("failed", colour)}${name}-${language}-${width}.png` }).catch(() => {});
  }
}

function folder(width, colour) {
  const path = `${SHOTS}${width === "desktop" ? colour : width}/`;
  mkdirSync(path, { recursive: true });
  return path;
}

async function findings(page) {
  // What is half below the header is no smaller for it.
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.evaluate(AXE);
  const { violations } = await page.evaluate((values) => window.axe.run({ runOnly: { type: "tag", values } }), TAGS);
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ target, any }) => `${impact} ${id} at ${target}: ${any[0]?.message ?? ""}`),
  );
}
