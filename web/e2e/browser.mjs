// A real browser: Debian's chromium, with nothing kept from one time to the next.
import { chromium } from "playwright-core";

const FLAGS =
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";

const HOW = {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  headless: true,
  args: FLAGS.split(" "),
  timeout: 60_000,
};

/** Starts one. On a busy machine it may fall over before it stands; then another is started. */
export function launch() {
  return chromium.launch(HOW).catch(() => chromium.launch(HOW));
}

/** The first of `locators` to be seen, by its place in the list. Fails when `timeout` has passed. */
export async function firstOf(locators, timeout) {
  const seen = locators.map((locator, place) =>
    locator
      .first()
      .waitFor({ state: "visible", timeout })
      .then(() => place),
  );
  try {
    return await Promise.any(seen);
  } catch {
    return -1;
  }
}

/** A picture of the whole page, as high as it is, so that what keeps in sight stands where it belongs. */
export async function picture(page, path) {
  const before = page.viewportSize();
  await page.evaluate(() => document.fonts.ready);
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ ...before, height: Math.max(height, before.height) });
  await page.screenshot({ path });
  await page.setViewportSize(before);
}

/** Looks at all of what `place` shows, as whoever approves a dangerous call has to. */
export async function readThrough(place, name = "Show me the rest") {
  const rest = place.getByRole("button", { name, exact: true });
  for (let turn = 0; turn < 100 && (await rest.isVisible()); turn += 1) {
    await rest.click({ timeout: 5000 }).catch(() => {});
    await new Promise((later) => setTimeout(later, 100));
  }
}
