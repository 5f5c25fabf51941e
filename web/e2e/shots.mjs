// Takes a picture of every screen, on a desktop and a phone, light and dark, into web/e2e/shots. For looking at.
import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { launch, picture, readThrough } from "./browser.mjs";
import { Fake, furnish } from "./fake-server.mjs";

const folder = fileURLToPath(new URL("./shots/", import.meta.url));
mkdirSync(folder, { recursive: true });

const fake = new Fake();
const base = await fake.listen();
const browser = await launch();
const only = process.argv[2];

const LOOKS = {
  desktop: { viewport: { width: 1360, height: 900 } },
  dark: { viewport: { width: 1360, height: 900 }, colorScheme: "dark" },
  phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
};

for (const [look, settings] of Object.entries(LOOKS)) {
  const context = await browser.newContext(settings);
  const page = await context.newPage();
  const shot = async (name, path, act) => {
    if (only && !`${look}-${name}`.includes(only)) return;
    if (path !== undefined) await page.goto(base + path);
    await page.locator(":is(h1, h2, form):visible").first().waitFor();
    await act?.(page);
    await page.waitForTimeout(900);
    await picture(page, `${folder}${look}-${name}.png`);
  };
  await shot("sign-in", "/");
  await shot("sign-in-wrong", "/sign-in#cs_link_wrong");
  fake.people.cs_link_shots = { kind: "user", name: "kim", role: "approver", groups: [], acts_for: null };
  await page.goto(`${base}/sign-in#cs_link_shots`);
  await page.locator("button[data-account]").waitFor();
  await shot("nothing", "/");
  fake.interactions.clear();
  fake.runs.clear();
  furnish(fake);
  const [command, payment, file, hidden, question, review, uncertain] = [...fake.interactions.keys()];
  const [done, failed, waiting] = [...fake.runs.keys()];
  await shot("inbox", "/");
  await shot("command", `/interactions/${command}`);
  await shot("payment", `/interactions/${payment}`);
  await shot("file", `/interactions/${file}`);
  await shot("hidden", `/interactions/${hidden}`, (page) => page.getByRole("button", { name: "Reject…" }).click());
  const press = (name) => async (page) => {
    await page.waitForTimeout(300);
    await readThrough(page);
    await page.getByRole("button", { name, exact: true }).click();
  };
  await shot("remember", `/interactions/${command}`, press("Approve and remember…"));
  await shot("question", `/interactions/${question}`);
  await shot("question-wrong", `/interactions/${question}`, press("Send answer"));
  await shot("question-decline", `/interactions/${question}`, press("Decline…"));
  await shot("review", `/interactions/${review}`);
  await shot("review-replace", `/interactions/${review}`, press("Replace…"));
  await shot("uncertain", `/interactions/${uncertain}`);
  await shot("run-stop", `/runs/${waiting}`, press("Stop this run…"));
  const [stopped, aside] = [...fake.runs.keys()].slice(-2);
  await shot("run-stopped", `/runs/${stopped}`);
  await shot("run-aside", `/runs/${aside}`);
  await shot("runs", "/runs");
  await shot("run-done", `/runs/${done}`, (page) => page.locator("summary").nth(2).click());
  await shot("run-failed", `/runs/${failed}`);
  await shot("run-waiting", `/runs/${waiting}`);
  await shot("chat-new", "/chat");
  await shot("chat", `/chat/${fake.runs.get(waiting).session_id}`);
  await shot("chat-done", `/chat/${fake.runs.get(done).session_id}`, (page) => page.locator("summary").first().click());
  await shot("settings", "/settings");
  await shot("agents", "/agents");
  await shot("rules", "/rules");
  await shot("rules-verdict", "/rules", async (page) => {
    await page.getByLabel("Tool", { exact: true }).fill("bash");
    await page.getByLabel("Arguments, as JSON").fill('{"command": "npm run build"}');
    await page.getByRole("button", { name: "Ask the policy" }).click();
    await page.locator("[data-verdict]").waitFor();
  });
  fake.sessions.forEach((who) => {
    who.role = "operator";
  });
  await shot("rules-draft", "/rules", async (page) => {
    await page.getByRole("button", { name: "New rule" }).click();
    const form = page.getByRole("form", { name: "A new rule" });
    await form.getByLabel("Name").fill("builds");
    await form.getByLabel("Tool").fill("bash");
    await form.getByRole("radio", { name: "allowed", exact: true }).check();
    await form.getByLabel("Reason for the change").fill("they are all the same");
    await form.getByRole("button", { name: "See what it would change" }).click();
    await form.getByText("Examples").click();
  });
  await shot("rules-history", "/rules", async (page) => {
    await page.getByRole("button", { name: "New rule" }).click();
    const form = page.getByRole("form", { name: "A new rule" });
    await form.getByLabel("Name").fill(`builds-${look}`);
    await form.getByLabel("Tool").fill("bash(npm run build:*)");
    await form.getByRole("button", { name: "See what it would change" }).click();
    await form.getByRole("button", { name: "Save", exact: true }).click();
    await page.locator("[data-version]").first().getByText("Before and after").click();
  });
  await shot("insights", "/insights");
  await shot("audit", "/audit");
  await shot("audit-detail", "/audit", async (page) => {
    await page.getByRole("button", { name: "Verify now" }).click();
    await page.locator("[data-row]").nth(3).click();
  });
  fake.sessions.forEach((who) => {
    who.role = "approver";
  });
  if (look === "phone") await shot("menu", "/runs", (page) => page.locator("button[data-menu]").click());
  else await shot("keys", "/runs", (page) => page.keyboard.press("?"));
  await shot("account", "/runs", (page) => page.locator("button[data-account]").click());
  await shot("not-found", "/nowhere");
  await shot("faster", `/interactions/${file}`, async (page) => {
    await page.getByRole("button", { name: "Approve", exact: true }).waitFor();
    await page.waitForTimeout(800);
    const service = { name: "release-bot", kind: "service" };
    page.route("**/api/interactions*", (route) => route.abort());
    const answered = fake.interactions.get(file);
    answered.answer = {
      decision: "reject",
      reason: "not today",
      user_id: service.name,
      kind: service.kind,
      responded_at: new Date().toISOString(),
    };
    await page.getByRole("button", { name: "Approve", exact: true }).click();
  });
  await page.unrouteAll();
  await shot("decided", `/interactions/${payment}`, press("Approve"));
  fake.sessions.forEach((who) => {
    who.role = "viewer";
  });
  await shot("viewer", `/interactions/${hidden}`);
  fake.event(waiting, "step_delta", { text: "" });
  await shot("speaking", `/runs/${waiting}`, async (page) => {
    await page.locator("[data-connection=live]").waitFor();
    fake.event(waiting, "step_delta", { text: "The folders are gone. Next I will look at the " });
    fake.event(waiting, "step_delta", { text: "invoice" });
  });
  await context.close();
  fake.interactions.clear();
  fake.runs.clear();
}
await browser.close();
await fake.close();
