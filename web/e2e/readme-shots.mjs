// Takes the pictures that the README shows, into docs/images, of a server in use.
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { launch } from "./browser.mjs";
import { furnished } from "./house.mjs";
import { Stage } from "./stage.mjs";

const folder = fileURLToPath(new URL("../../docs/images/", import.meta.url));
mkdirSync(folder, { recursive: true });

const browser = await launch();
const stage = new Stage(browser);
const { server, ids } = await furnished();
stage.server = server;
const page = await stage.as("dana", "operator", { viewport: { width: 1280, height: 840 } });

async function shot(name, path, ready, act) {
  await page.goto(path);
  await act?.();
  await page.locator(ready).first().waitFor();
  await page.evaluate(() => document.fonts.ready);
  await page.mouse.move(640, 5);
  // Whatever fades in has done so.
  await page.waitForTimeout(800);
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.screenshot({ path: `${folder}${name}.png` });
}

await shot("inbox", `/interactions/${ids.command}`, "article[data-interaction] footer button");
await shot("chat", `/chat/${ids.session}`, "article[data-interaction]");
await shot("audit", "/audit", "[data-verified]", () => page.getByRole("button", { name: "Verify now" }).click());
await browser.close();
await stage.close();
