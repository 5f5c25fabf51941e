// Takes the pictures that the README shows, into docs/images.
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { launch } from "./browser.mjs";
import { Fake, furnish } from "./fake-server.mjs";

const folder = fileURLToPath(new URL("../../docs/images/", import.meta.url));
mkdirSync(folder, { recursive: true });

const fake = new Fake();
const base = await fake.listen();
const browser = await launch();
fake.people.cs_link_shots = { kind: "user", name: "dana", role: "operator", groups: [], acts_for: null };
furnish(fake);
const page = await browser.newPage({ viewport: { width: 1280, height: 840 }, reducedMotion: "reduce" });
await page.goto(`${base}/sign-in#cs_link_shots`);
await page.locator("button[data-account]").waitFor();

async function shot(name, path, act) {
  await page.goto(base + path);
  await page.locator(":is(h1, h2):visible").first().waitFor();
  await page.waitForTimeout(800);
  await act?.();
  await page.mouse.move(640, 5);
  await page.waitForTimeout(700);
  await page.screenshot({ path: `${folder}${name}.png` });
}

const [, payment] = [...fake.interactions.keys()];
const waiting = [...fake.runs.values()].find(({ status }) => status === "waiting");
await shot("inbox", `/interactions/${payment}`);
await shot("chat", `/chat/${waiting.session_id}`, () => page.evaluate(() => window.scrollTo(0, 0)));
await shot("audit", "/audit", async () => {
  await page.getByRole("button", { name: "Verify now" }).click();
  await page.locator("[data-verified]").waitFor();
  await page.evaluate(() => window.scrollTo(0, 0));
});
await browser.close();
await fake.close();
