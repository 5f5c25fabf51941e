// Every screen of the page, and whatever opens on one: where it is, and what leads there. Words are those of the catalogue.
import { readThrough } from "./browser.mjs";

const press =
  (name, { read = false } = {}) =>
  async (page, say) => {
    const button = page.getByRole("button", { name: name(say), exact: true }).first();
    await button.waitFor();
    if (read) await readThrough(page, say.news.showRest);
    await button.click();
  };

const fill = (label, text) => async (page, say) => page.getByLabel(label(say), { exact: true }).first().fill(text);

const seen = (selector) => async (page) => page.locator(selector).first().waitFor();

const all =
  (...acts) =>
  async (page, say) => {
    for (const act of acts) await act(page, say);
  };

/** `[name, path, act]` for somebody who is not signed in. */
export const DOOR = [
  ["sign-in", "/runs"],
  ["sign-in-wrong", "/sign-in#cs_link_wrong", seen("[role=alert]")],
];

/** The same for an approver. */
export const APPROVER = (ids) => [
  ["inbox", "/", seen("main li a")],
  ["command", `/interactions/${ids.command}`],
  ["payment", `/interactions/${ids.payment}`],
  ["file", `/interactions/${ids.file}`],
  ["hidden", `/interactions/${ids.hidden}`],
  ["question", `/interactions/${ids.question}`],
  ["review", `/interactions/${ids.review}`],
  ["uncertain", `/interactions/${ids.uncertain}`],
  ["withdrawn", `/interactions/${ids.withdrawn}`],
  ["reject", `/interactions/${ids.file}`, press((say) => `${say.answer.reject}…`)],
  ["edit", `/interactions/${ids.file}`, press((say) => `${say.answer.edit}…`, { read: true })],
  ["remember", `/interactions/${ids.command}`, press((say) => `${say.answer.remember}…`, { read: true })],
  ["instead", `/interactions/${ids.file}`, press((say) => `${say.answer.inPlaceButton}…`)],
  [
    "question-wrong",
    `/interactions/${ids.question}`,
    all(
      press((say) => say.answer.send),
      seen("[data-misfit]"),
    ),
  ],
  ["question-decline", `/interactions/${ids.question}`, press((say) => `${say.answer.decline}…`)],
  ["review-replace", `/interactions/${ids.review}`, press((say) => `${say.answer.replace}…`)],
  ["review-withhold", `/interactions/${ids.review}`, press((say) => `${say.answer.withhold}…`)],
  ["runs", "/runs", seen("main li")],
  ["run", `/runs/${ids.done}`, seen("li[data-event=run_completed]")],
  [
    "run-waits",
    `/runs/${ids.waits}`,
    all(
      seen("li[data-event=execution_suspended]"),
      press((say) => `${say.run.stop}…`),
    ),
  ],
  ["run-stopped", `/runs/${ids.stopped}`, seen("li[data-event=run_cancelled]")],
  ["chat-new", "/chat"],
  ["chat", `/chat/${ids.session}`, seen("article[data-interaction]")],
  [
    "chat-done",
    `/chat/${ids.ended}`,
    all(seen("[data-steps]"), async (page) => page.locator("[data-steps] summary").first().click()),
  ],
  [
    "agents",
    "/agents",
    all(
      seen("[data-agent]"),
      press((say) => `${say.run.stop}…`),
    ),
  ],
  ["settings", "/settings"],
  ["account", "/settings", async (page) => page.locator("button[data-account]").click()],
  ["not-found", "/nowhere"],
];

/** The same for an operator. */
export const OPERATOR = [
  ["rules", "/rules", all(seen("[data-rule]"), seen("[data-version]"))],
  [
    "rules-verdict",
    "/rules",
    all(
      fill((say) => say.rules.tool, "bash"),
      fill((say) => say.rules.args, '{"command": "npm run build"}'),
      press((say) => say.rules.ask),
      seen("[data-verdict]"),
    ),
  ],
  ["rules-draft", "/rules", press((say) => say.policy.create)],
  ["rules-capability", "/rules", press((say) => say.things.capability.create)],
  ["rules-override", "/rules", press((say) => say.things.override.create)],
  ["rules-role", "/rules", press((say) => say.things.role.create)],
  [
    "rules-history",
    "/rules",
    async (page, say) => page.locator("[data-version]").first().getByText(say.policy.details).click(),
  ],
  ["audit", "/audit", seen("li[data-call]")],
  [
    "audit-verified",
    "/audit",
    all(
      press((say) => say.audit.verifyNow),
      seen("[data-verified]"),
    ),
  ],
  ["audit-detail", "/audit", async (page) => page.locator("li[data-call] button").first().click()],
  ["insights", "/insights", seen("[data-figure]")],
  ["tokens", "/settings", seen("li[data-token]")],
  [
    "tokens-wrong",
    "/settings",
    all(
      seen("li[data-token]"),
      press((say) => say.tokens.makeIt),
    ),
  ],
];

/** On a phone there is a menu, and elsewhere a list of keys. */
export const FRAME = {
  phone: ["menu", "/runs", async (page) => page.locator("button[data-menu]").click()],
  desktop: ["keys", "/runs", all(seen("main h1"), async (page) => page.keyboard.press("?"), seen("dialog[open]"))],
};
