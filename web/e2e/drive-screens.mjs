// What `drive.mjs` does on the screens beside the inbox and the runs. Addresses are relative to the context's base.
import { readFileSync } from "node:fs";

/** What the page says the policy would do, and what each layer said. */
export async function why(page, _context, text) {
  const { args = {}, ...named } = JSON.parse(text);
  await page.goto("/rules");
  const form = page.getByRole("form", { name: "Why?" });
  const labels = { tool: "Tool", server: "Server", user: "On behalf of", agent: "Agent", cwd: "Folder" };
  for (const [name, value] of Object.entries(named)) await form.getByLabel(labels[name]).fill(value);
  await form.getByLabel("Arguments, as JSON").fill(JSON.stringify(args));
  await form.getByRole("button", { name: "Ask the policy" }).click();
  const verdict = page.locator("[data-verdict]");
  await verdict.waitFor();
  const steps = await verdict
    .locator("[data-layer]")
    .evaluateAll((all) =>
      all.map(({ dataset }) => ({ layer: dataset.layer, said: dataset.said, decided: dataset.decided === "true" })),
    );
  return {
    verdict: await verdict.getAttribute("data-verdict"),
    digest: await verdict.getAttribute("data-digest"),
    steps,
  };
}

export async function grant(page, _context, side, pattern) {
  await page.goto("/rules");
  const form = page.getByRole("form", { name: "Add a grant" });
  await form.getByRole("radio", { name: side === "deny" ? "Denied" : "Allowed" }).check();
  await form.getByLabel("Pattern").fill(pattern);
  await form.getByRole("button", { name: "Add", exact: true }).click();
  const said = form.getByRole("alert").or(form.getByText("Added."));
  await said.first().waitFor();
  if (await form.getByRole("alert").isVisible()) throw new Error((await form.getByRole("alert").textContent()) ?? "");
  return grants(page);
}

export async function takeBack(page, _context, pattern) {
  await page.goto("/rules");
  const button = page.getByRole("button", { name: `Take back ${pattern}`, exact: true });
  await button.click();
  await button.waitFor({ state: "detached" });
  return grants(page);
}

/** The patterns that the page shows, by side. */
async function grants(page) {
  const of = (side) => page.locator(`[data-side=${side}] li p.exact`).allTextContents();
  return { allow: await of("allow"), deny: await of("deny") };
}

/** Writes a rule as `{name, tool, effect, reason}`, and says what the page says it would do. Not saved yet. */
export async function draftRule(page, _context, text) {
  const { name, tool, effect, reason, edits } = JSON.parse(text);
  await page.goto("/rules");
  const title = edits ? `Edit ${name}` : "New rule";
  await page.getByRole("button", { name: title, exact: true }).click();
  const form = page.getByRole("form", { name: edits ? `Change ${name}` : "A new rule" });
  if (!edits) await form.getByLabel("Name").fill(name);
  await form.getByLabel("Tool").fill(tool);
  await form.getByRole("radio", { name: effect, exact: true }).check();
  if (reason) await form.getByLabel("Reason for the change").fill(reason);
  await form.getByRole("button", { name: "See what it would change" }).click();
  return trial(form);
}

/** Saves the rule that was drafted, and gives the rules that are shown then. */
export async function saveRule(page) {
  const form = page.getByRole("form", { name: /rule|Change/ });
  await form.getByRole("button", { name: "Save", exact: true }).click();
  await form.waitFor({ state: "detached" });
  return rules(page);
}

export async function removeRule(page, _context, name) {
  await page.goto("/rules");
  await page.getByRole("button", { name: `Remove ${name}…`, exact: true }).click();
  const part = page.getByRole("region", { name: `Remove ${name}` });
  await part.getByRole("button", { name: "See what it would change" }).click();
  const told = await trial(part);
  await part.getByRole("button", { name: "Remove", exact: true }).click();
  await part.waitFor({ state: "detached" });
  return { told, rules: await rules(page) };
}

export async function undo(page, _context, version) {
  await page.goto("/rules");
  await page.getByRole("button", { name: `Undo version ${version}`, exact: true }).click();
  const said = page.getByRole("alert").or(page.locator(`[data-version="${Number(version) + 1}"]`));
  await said.first().waitFor();
  if (await page.getByRole("alert").isVisible()) throw new Error((await page.getByRole("alert").textContent()) ?? "");
  return rules(page);
}

/** What a part of the page says a change would do. */
async function trial(part) {
  const told = part.locator("[data-trial]");
  await told.or(part.getByRole("alert")).first().waitFor();
  if (!(await told.isVisible())) throw new Error((await part.locator("[aria-live]").textContent()) ?? "");
  const { lookedAt, allowed, asked, denied } = await told.evaluate(({ dataset }) => ({ ...dataset }));
  return { lookedAt: Number(lookedAt), allowed: Number(allowed), asked: Number(asked), denied: Number(denied) };
}

/** The rules that the page shows, in their order. */
async function rules(page) {
  await page.waitForTimeout(300);
  return page.locator("[data-rule]").evaluateAll((all) => all.map(({ dataset }) => dataset.rule));
}

/** The calls that are shown, what the first is opened to, what verifying says, and the file that is exported. */
export async function audit(page, _context, filters) {
  await page.goto(`/audit?${filters}`);
  const rows = page.locator("li[data-call]");
  await rows.first().waitFor();
  const calls = await rows.evaluateAll((all) =>
    all.map(({ dataset }) => ({ id: dataset.call, status: dataset.status })),
  );
  await rows.first().getByRole("button").first().click();
  await rows.first().getByText("Digest", { exact: true }).waitFor();
  const detail = await rows.first().textContent();
  await page.getByRole("button", { name: "Verify now" }).click();
  const badge = page.locator("[data-verified]");
  await badge.waitFor();
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "CSV", exact: true }).click();
  const file = await download;
  return {
    calls,
    detail,
    verified: await badge.textContent(),
    file: file.suggestedFilename(),
    exported: readFileSync(await file.path(), "utf8"),
  };
}

/** The figures that the page shows, what asks most, and the days of the table. */
export async function insights(page) {
  await page.goto("/insights");
  await page.locator("[data-figure]").first().waitFor();
  await page.getByText("As a table").click();
  const figures = await page
    .locator("[data-figure]")
    .evaluateAll((all) => all.map(({ dataset, textContent }) => [dataset.figure, textContent]));
  const askers = await page
    .locator("[data-asker]")
    .evaluateAll((all) => all.map(({ dataset, textContent }) => [dataset.asker, textContent]));
  const days = await page.getByRole("table", { name: "Asks per day" }).locator("tbody tr").allTextContents();
  return { figures: Object.fromEntries(figures), askers, days };
}

/** Chooses a language and colours, and says what became of the page, also after it is loaded again. */
export async function settings(page, _context, language, theme) {
  await page.goto("/settings");
  // Not `check`: everything is drawn anew in the other language, also what was clicked.
  await page.getByRole("radio", { name: language }).click();
  await page.getByRole("radio", { name: language, checked: true }).waitFor();
  const themes = ["system", "light", "dark"];
  await page.getByRole("radiogroup").nth(1).getByRole("radio").nth(themes.indexOf(theme)).check();
  await page.reload();
  const title = page.getByRole("heading", { level: 1 });
  await title.waitFor();
  return page.evaluate(() => ({
    lang: document.documentElement.lang,
    title: document.querySelector("h1")?.textContent,
    paper: getComputedStyle(document.documentElement).backgroundColor,
    theme: document.documentElement.dataset.theme ?? "system",
  }));
}

/** Presses keys one after the other, with time for what they open. */
export async function keys(page, _context, path, text) {
  await page.goto(path);
  await page.locator(":is(h1, h2):visible").first().waitFor();
  await page.waitForTimeout(1000);
  for (const key of text.split(" ")) {
    await page.keyboard.press(key);
    await page.waitForTimeout(1000);
  }
  return {
    at: new URL(page.url()).pathname,
    dialog: await page.locator("dialog[open]").count(),
    focus: await page.evaluate(() => document.activeElement?.tagName ?? ""),
    says: (await page.locator("article footer").allTextContents()).join(" "),
  };
}
