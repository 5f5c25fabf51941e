// Deciding about calls.
import assert from "node:assert/strict";
import { readThrough } from "../browser.mjs";
import { until } from "../server.mjs";
import { approve, button, cardOf, command, matches, open, outcome, reject, rows, rowsAre } from "./acts.mjs";

export const flows = {
  "what is asked appears by itself, and goes when it is settled": async ({ server, as }) => {
    const page = await as("kim", "approver");
    await page.goto("/");
    await page.getByText("Nothing waits for you").waitFor();
    const id = await server.asked("make deploy");
    await cardOf(page, id).waitFor();
    await page.waitForFunction(() => document.title.startsWith("(1)"));
    await server.api("POST", `/interactions/${id}/respond`, { decision: "reject" });
    await page.waitForFunction(() => !document.title.startsWith("("));
    matches(await outcome(cardOf(page, id)), /Rejected by .* just now/);
    await until(
      async () => /settled/.test((await page.locator("[data-news]").textContent()) ?? ""),
      "whoever listens is told",
    );
  },

  "an approved call is made": {
    turns: command("echo ran > out"),
    act: async ({ server, as }) => {
      const page = await as("kim", "approver");
      const run = await server.start();
      const [{ id }] = await server.open(1);
      matches(await approve(page, id), /You approved this call/);
      await server.ends(run);
      assert.equal(server.wrote("out"), "ran\n");
    },
  },

  "a rejection with a reason reaches the agent, and its reply is shown": {
    turns: command("rm -rf build", "then I use make clean"),
    act: async ({ server, as }) => {
      const page = await as("kim", "approver");
      const run = await server.start();
      const [{ id }] = await server.open(1);
      matches(await reject(page, id, "use make clean instead"), /You rejected this call.*use make clean instead/);
      await server.ends(run);
      matches(server.model.last(), /use make clean instead/);
      await page.goto(`/runs/${run}`);
      await page.getByText("then I use make clean").first().waitFor();
    },
  },

  "a call is edited and approved, and made as it was edited": {
    turns: command("echo one > out"),
    act: async ({ server, as }) => {
      const page = await as("kim", "approver");
      const run = await server.start();
      const [{ id }] = await server.open(1);
      const card = await open(page, id);
      await button(card, "Edit…").click();
      const field = card.getByLabel("The arguments, as JSON");
      await field.fill("no json");
      await button(card, "Approve it like this").click();
      await card.getByText("This is no JSON object.").waitFor();
      await field.fill('{"command": "echo two > out"}');
      await button(card, "Approve it like this").click();
      matches(await outcome(card), /You edited and approved this call.*echo two/);
      await server.ends(run);
      assert.equal(server.wrote("out"), "two\n");
    },
  },

  "what a call does is taken apart, with what was said and what was decided before": {
    turns: [
      [
        { says: "Nothing can go wrong here." },
        { tool: "bash", args: { command: "find . -name '*.tmp' -print0 | xargs -0 rm -f > gone.txt" } },
      ],
      "all done",
    ],
    act: async ({ server, as }) => {
      await server.start("Tidy up");
      const [first] = await server.open(1);
      await server.api("POST", `/interactions/${first.id}/respond`, { decision: "reject", reason: "not before noon" });
      await server.open(0);
      const run = await server.start("Tidy up");
      const [{ id }] = await server.open(1);
      const page = await as("lee", "approver");
      const card = await open(page, id);
      const parts = await card.locator("[data-commands] li").allTextContents();
      assert.equal(parts.length, 3, parts.join());
      matches(parts[0], /find \. -name '\*\.tmp' -print0/);
      matches(parts[1], /xargs -0 rm -f > gone\.txt.*writes gone\.txt/);
      matches(parts[2], /rm -f.*run by another command/);
      matches(await card.locator("[data-words=person]").textContent(), /said.*Tidy up/);
      matches(await card.locator("[data-words=claim]").textContent(), /worker says not verified.*Nothing can go wrong/);
      matches(await card.locator("[data-past]").textContent(), /Rejected by .*not before noon/);
      await button(card, "Approve").click();
      matches(await outcome(card), /You approved this call/);
      await server.ends(run);
    },
  },

  "whom a payment goes to and how much, and where an address leads, stands above all else": async ({ server, as }) => {
    const page = await as("lee", "approver");
    const args = { amount: 20000, currency: "EUR", to: "ACME GmbH" };
    const paid = await server.ask("pay_invoice", args, { server: "books" });
    const facts = (await open(page, paid.interaction_id)).locator("dl").first();
    matches(await facts.textContent(), /Amount.*20000 EUR.*To.*ACME GmbH/);
    const fetched = await server.ask("web_fetch", { url: "https://shop.example:8443/a/../orders?page=2" });
    const where = (await open(page, fetched.interaction_id)).locator("dl").first();
    matches(await where.textContent(), /Host.*shop\.example:8443.*Path.*\/orders/);
  },

  "an answer in the tool's place is what the agent is told": {
    turns: command("cat secret"),
    act: async ({ server, as }) => {
      const page = await as("kim", "approver");
      const run = await server.start();
      const [{ id }] = await server.open(1);
      const card = await open(page, id);
      await button(card, "Answer instead…").click();
      await button(card, "Send this instead").click();
      await card.getByText("Write what the agent is told, or reject the call.").waitFor();
      await card.getByLabel("What the agent is told in the tool's place").fill("the number is 42");
      await button(card, "Send this instead").click();
      matches(await outcome(card), /You answered/);
      await server.ends(run);
      matches(server.model.last(), /the number is 42/);
    },
  },

  "what is remembered is shown exactly, and the next call passes": async ({ server, as }) => {
    const page = await as("lee", "approver");
    const id = await server.asked("npm run lint");
    const card = await open(page, id);
    await button(card, "Approve and remember…").click();
    matches(await card.locator("form pre").first().textContent(), /^bash\(npm run lint\)$/);
    await button(card, "Approve and remember").click();
    matches(await outcome(card), /You approved this call/);
    assert.equal((await server.ask("bash", { command: "npm run lint" })).decision, "allow");
    assert.equal((await server.ask("bash", { command: "npm run build" })).decision, "pending");
  },

  "what is remembered may have an end, and not one in the past": async ({ server, as }) => {
    const page = await as("lee", "approver");
    const card = await open(page, await server.asked("npm run lint"));
    await button(card, "Approve and remember…").click();
    const field = card.locator("input[type=datetime-local]");
    await field.fill("2001-01-01T00:00");
    await button(card, "Approve and remember").click();
    await card.getByText("This is in the past.").waitFor();
    await field.fill("2099-01-01T00:00");
    await button(card, "Approve and remember").click();
    matches(await outcome(card), /You approved this call/);
    const { allow } = await server.api("GET", "/permissions/kim");
    matches(String(allow.find(({ resource }) => resource === "bash(npm run lint)")?.expires_at), /^209[89]-/);
  },

  "of two browsers that race one wins, and the other is told who": async ({ server, as }) => {
    const [ann, lee] = [await as("ann", "approver"), await as("lee", "approver")];
    const id = await server.asked("make deploy");
    const [first, second] = [await open(ann, id), await open(lee, id)];
    await button(second, "Reject…").click();
    await button(first, "Approve").and(ann.locator(":enabled")).waitFor();
    // Held beforehand: whoever hears of the other's answer first has no button any more.
    const pressed = await Promise.all(
      [button(first, "Approve"), button(second, "Reject this call")].map((one) => one.elementHandle()),
    );
    await Promise.all(pressed.map((one) => one.evaluate((element) => element.click())));
    const said = await Promise.all([outcome(first), outcome(second)]);
    const { answer } = await server.interaction(id);
    const [winner, loser] = answer.decision === "approve" ? said : said.toReversed();
    matches(winner, answer.decision === "approve" ? /You approved/ : /You rejected/);
    // Whoever was slower may have heard of it before their own answer was on its way.
    matches(loser, answer.decision === "approve" ? /Approved by ann/ : /Rejected by lee/);
  },

  "who looks at what somebody else decides is told at once": async ({ server, as }) => {
    const [ann, lee] = [await as("ann", "approver"), await as("lee", "approver")];
    const id = await server.asked("make deploy");
    const watched = await open(ann, id);
    await reject(lee, id, "not on a Friday");
    matches(await outcome(watched), /Rejected by lee just now.*not on a Friday/);
    assert.equal(await button(watched, "Approve").count(), 0);
  },

  "a question that ends while somebody looks says so, and takes no answer": {
    config: "hitl: { timeout: 15s }",
    turns: command("make deploy", "nobody was there"),
    act: async ({ server, as }) => {
      const page = await as("kim", "approver");
      await page.goto("/");
      await page.getByText("Nothing waits for you").waitFor();
      const run = await server.start();
      const card = page.locator("article[data-interaction]");
      await card.waitFor();
      matches(await outcome(card), /Nobody answered in time/);
      assert.equal(await button(card, "Approve").count(), 0);
      await server.ends(run);
    },
  },

  "calls that are exactly the same are one row, and are answered together": async ({ server, as }) => {
    const page = await as("lee", "approver");
    const ids = [
      await server.asked("make deploy"),
      await server.asked("make deploy"),
      await server.asked("make deploy"),
    ];
    await server.asked("make test");
    await page.goto(`/interactions/${ids[1]}`);
    await rowsAre(page, 2);
    matches(
      await rows(page)
        .allTextContents()
        .then((all) => all.join()),
      /3 alike/,
    );
    const card = await open(page, ids[1]);
    await card.getByLabel(/2 other calls that are exactly the same/).check();
    await button(card, "Approve").click();
    matches(await outcome(card), /You approved this call/);
    await rowsAre(page, 1);
    for (const id of ids) assert.equal((await server.interaction(id)).answer.decision, "approve");
  },

  "the filter finds words in what is asked and in who asks": async ({ server, as }) => {
    const page = await as("kim", "approver");
    for (const target of ["alpha", "beta", "gamma", "delta"]) await server.asked(`make ${target}`);
    await server.asked("make omega", { agent: "night-bot" });
    await page.goto("/");
    await rowsAre(page, 5);
    const filter = page.getByLabel("Filter what waits");
    await filter.fill("GAMMA");
    await rowsAre(page, 1);
    matches(await rows(page).first().textContent(), /make gamma/);
    await filter.fill("night-bot make");
    await rowsAre(page, 1);
    matches(await rows(page).first().textContent(), /make omega/);
    await filter.fill("nothing of the kind");
    await page.getByText("Nothing that waits has these words.").waitFor();
    await filter.fill("");
    await rowsAre(page, 5);
  },

  "a dangerous call is approved only once all of it was seen": async ({ server, as }) => {
    const page = await as("lee", "approver");
    const lines = Array.from({ length: 90 }, (_, line) => `echo ${line}`).join("\n");
    const id = await server.asked(`${lines}\nrm -rf ~`);
    await page.goto(`/interactions/${id}`);
    const card = cardOf(page, id);
    await card.getByText(/approving opens once everything above has been seen/).waitFor();
    await button(card, "Reject…").and(page.locator(":enabled")).waitFor();
    assert.equal(await button(card, "Approve").isEnabled(), false);
    await page.keyboard.press("a");
    assert.equal((await server.interaction(id)).status, "open");
    await open(page, id);
    await button(card, "Approve").click();
    matches(await outcome(card), /You approved this call/);
  },

  "the answers stay where they are when the end comes into sight": async ({ server, as }) => {
    const page = await as("lee", "approver");
    const id = await server.asked(Array.from({ length: 200 }, (_, line) => `make part-${line}`).join(" && "));
    // Where they scroll along with the call.
    await page.setViewportSize({ width: 500, height: 500 });
    await page.goto(`/interactions/${id}`);
    const card = cardOf(page, id);
    const answers = button(card, "Reject…").and(page.locator(":enabled"));
    await answers.waitFor();
    const above = async () => {
      const [bar, answer] = [await card.locator("footer").boundingBox(), await answers.boundingBox()];
      return Math.round(answer.y - bar.y);
    };
    await card.getByText(/approving opens once everything above has been seen/).waitFor();
    const before = await above();
    await page.evaluate(watchForBoth, ["Show me the rest", "Everything above has been seen."]);
    await readThrough(card);
    await card.getByText("Everything above has been seen.", { exact: true }).waitFor();
    assert.equal(await above(), before);
    // Both have one place: there is no moment at which both are seen.
    assert.equal(await page.evaluate(() => window.both), 0);
  },

  "no answer is taken before all that it is about has come": async ({ server, as }) => {
    const page = await as("lee", "approver");
    const first = await server.asked("make one");
    const second = await server.asked("make two");
    await page.goto(`/interactions/${first}`);
    await rowsAre(page, 2);
    let comes;
    const come = new Promise((resolve) => {
      comes = resolve;
    });
    await page.route(`**/api/interactions/${second}`, (route) => come.then(() => route.continue()));
    // What the list knows of it is shown at once.
    await rows(page).filter({ hasText: "make two" }).getByRole("link").click();
    const card = cardOf(page, second);
    await button(card, "Reject…").waitFor();
    await page.waitForTimeout(1500);
    assert.equal(await button(card, "Reject…").isEnabled(), false);
    comes();
    await button(card, "Reject…").and(page.locator(":enabled")).waitFor();
    await button(card, "Reject…").click();
    await card.getByLabel("Reason").waitFor();
  },

  "a viewer sees everything and answers nothing": async ({ server, as }) => {
    const id = await server.asked("make deploy");
    const page = await as("vic", "viewer");
    await page.goto("/");
    const card = cardOf(page, id);
    await card.getByText("You are signed in as a viewer: you can look, and answer nothing.").waitFor();
    matches(await card.textContent(), /make deploy/);
    assert.equal(await card.getByRole("button", { name: /Approve|Reject/ }).count(), 0);
  },

  "the list does not move under the pointer": async ({ server, as }) => {
    const page = await as("kim", "approver");
    const first = await server.asked("make one");
    await page.goto(`/interactions/${first}`);
    await rowsAre(page, 1);
    await rows(page).first().hover();
    await server.asked("make two");
    await button(page, "Show 1 new").waitFor();
    await rowsAre(page, 1);
    await server.api("POST", `/interactions/${first}/respond`, { decision: "approve" });
    await rows(page).first().getByText("settled").waitFor();
    await rowsAre(page, 1);
    await page.mouse.move(1200, 850);
    await rows(page).first().getByText("make two").waitFor();
    await rowsAre(page, 1);
  },

  "a server that was gone is said to be gone, and nothing is missing once it is back": async ({ server, as }) => {
    const page = await as("kim", "approver");
    const before = await server.asked("make before");
    await page.goto(`/interactions/${before}`);
    await rowsAre(page, 1);
    await server.kill();
    await page
      .getByText(/The server does not answer/)
      .first()
      .waitFor();
    await server.run();
    await server.asked("make after");
    await rows(page).getByText("make after").waitFor();
    await rowsAre(page, 2);
    matches(await approve(page, before), /You approved this call/);
  },

  "a held result is released, replaced or withheld": {
    turns: [
      [
        { tool: "bash", args: { command: "echo first" } },
        { tool: "bash", args: { command: "echo second" } },
        { tool: "bash", args: { command: "echo third" } },
      ],
      "all done",
    ],
    config:
      "policy: { rules: [ { name: all, priority: 1, tool: bash, effect: allow } ], overrides: { bash: { result: always } } }",
    act: async ({ server, as }) => {
      const page = await as("kim", "approver");
      const run = await server.start();
      const held = await server.open(3);
      const of = (word) => held.find(({ call }) => call.args.command === `echo ${word}`).id;
      const first = await open(page, of("first"));
      await button(first, "Release").click();
      matches(await outcome(first), /You released the result/);
      const second = await open(page, of("second"));
      await button(second, "Replace…").click();
      await second.getByLabel("What the agent is told instead").fill("something else");
      await button(second, "Send this instead").click();
      matches(await outcome(second), /You replaced the result/);
      const third = await open(page, of("third"));
      await button(third, "Withhold…").click();
      await button(third, "Withhold the result").click();
      matches(await outcome(third), /You withheld the result/);
      await server.ends(run);
      const told = server.model.asked
        .at(-1)
        .messages.filter(({ role }) => role === "tool")
        .map(({ content }) => content);
      matches(told.join("|"), /^first.*\|.*something else.*\|/);
      assert.ok(!told[1].includes("second") && !told[2].includes("third"), told.join("|"));
    },
  },

  "what became of a call that nobody saw the end of is said by a person": {
    turns: command("echo x >> out; sleep 600"),
    config: "policy: { rules: [ { name: all, priority: 1, tool: bash, effect: allow } ] }",
    act: async ({ server, as }) => {
      const page = await as("kim", "approver");
      const run = await server.start();
      await until(() => server.wrote("out"), "the command is at work");
      await server.kill();
      await server.run();
      const [{ id, purpose }] = await server.open(1);
      assert.equal(purpose, "uncertain_outcome");
      const card = await open(page, id);
      await card.getByText("This call was started, and nobody knows whether it happened").waitFor();
      await button(card, "It happened").click();
      matches(await outcome(card), /that it happened/);
      await server.ends(run);
      assert.equal(server.wrote("out"), "x\n");
    },
  },

  "a change of a file is shown as what would change": {
    turns: [[{ tool: "file_write", args: { path: "notes.txt", content: "new line\n" } }], "written"],
    act: async ({ server, as }) => {
      const page = await as("kim", "approver");
      const run = await server.start();
      const [{ id }] = await server.open(1);
      const card = await open(page, id);
      matches(await card.textContent(), /What would change in .*notes\.txt/);
      matches(await card.textContent(), /new line/);
      await button(card, "Approve").click();
      await server.ends(run);
      assert.equal(server.wrote("notes.txt"), "new line\n");
    },
  },
};

/** In the page: counts the frames in which both of these are seen. */
function watchForBoth(words) {
  window.both = 0;
  const isSeen = (word) =>
    [...document.querySelectorAll("p, button")].some(
      (part) => part.textContent === word && getComputedStyle(part).visibility === "visible",
    );
  const look = () => {
    if (words.every(isSeen)) window.both += 1;
    requestAnimationFrame(look);
  };
  look();
}
