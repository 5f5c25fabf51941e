// All by keyboard alone.
import assert from "node:assert/strict";
import { button, cardOf, command, matches, outcome } from "./acts.mjs";

/** Nothing is opened or settled before it can be pressed. */
const ready = (page, id) => button(cardOf(page, id), "Reject…").and(page.locator(":enabled")).waitFor();

const opened = (page, id) => page.waitForURL((url) => url.pathname === `/interactions/${id}`);

export const flows = {
  "one decides by keyboard alone: down the list, approve, reject with a reason": {
    turns: command("echo hi"),
    act: async ({ server, as }) => {
      const page = await as("lee", "approver");
      const first = await server.asked("make one");
      const second = await server.asked("make two");
      await page.goto("/");
      await opened(page, first);
      await ready(page, first);
      await page.keyboard.press("j");
      await opened(page, second);
      await ready(page, second);
      await page.keyboard.press("k");
      await opened(page, first);
      await ready(page, first);
      await page.keyboard.press("End");
      await button(cardOf(page, first), "Approve").and(page.locator(":enabled")).waitFor();
      await page.keyboard.press("a");
      matches(await outcome(cardOf(page, first)), /You approved this call/);
      await page.keyboard.press("j");
      await opened(page, second);
      await ready(page, second);
      await page.keyboard.press("r");
      await cardOf(page, second).getByLabel("Reason").waitFor();
      await page.keyboard.type("not now");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      matches(await outcome(cardOf(page, second)), /You rejected this call.*not now/);
      assert.equal((await server.interaction(second)).answer.reason, "not now");
    },
  },

  "e edits, and x takes along what is the same": async ({ server, as }) => {
    const page = await as("lee", "approver");
    const ids = [await server.asked("make one"), await server.asked("make one")];
    await page.goto("/");
    const [first] = await server.open(2);
    await opened(page, first.id);
    await ready(page, first.id);
    await page.keyboard.press("End");
    await button(cardOf(page, first.id), "Approve").and(page.locator(":enabled")).waitFor();
    await page.keyboard.press("e");
    await cardOf(page, first.id).getByLabel("The arguments, as JSON").waitFor();
    await page.keyboard.press("Escape");
    await ready(page, first.id);
    await page.keyboard.press("x");
    await cardOf(page, first.id).getByRole("checkbox", { checked: true }).waitFor();
    await page.keyboard.press("a");
    matches(await outcome(cardOf(page, first.id)), /You approved this call/);
    await server.open(0);
    for (const id of ids) assert.equal((await server.interaction(id)).answer.decision, "approve");
  },

  "keys lead to every screen, and the list of keys opens and closes": async ({ as }) => {
    const page = await as("kim", "approver");
    await page.goto("/");
    await page.getByText("Nothing waits for you").waitFor();
    const places = { c: "/chat", r: "/runs", a: "/audit", n: "/insights", u: "/rules", e: "/agents", s: "/settings" };
    for (const [letter, path] of Object.entries({ ...places, i: "/" })) {
      await page.keyboard.press("g");
      await page.keyboard.press(letter);
      await page.waitForURL((url) => url.pathname === path);
    }
    await page.keyboard.press("?");
    await page.locator("dialog[open]").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("dialog[open]").waitFor({ state: "detached" });
  },

  "a letter that is typed into a field is no key": async ({ server, as }) => {
    const page = await as("lee", "approver");
    for (const target of ["one", "two", "three", "four"]) await server.asked(`make ${target}`);
    await page.goto("/");
    const filter = page.getByLabel("Filter what waits");
    await filter.waitFor();
    const [{ id }] = await server.open(4);
    await opened(page, id);
    await ready(page, id);
    await page.keyboard.press("/");
    await page.keyboard.type("jar");
    assert.equal(await filter.inputValue(), "jar");
    assert.equal(new URL(page.url()).pathname, `/interactions/${id}`);
    await server.open(4);
  },

  "whoever jumps past the navigation is in the content": async ({ as }) => {
    const page = await as("kim", "approver");
    await page.goto("/settings");
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.equal(await page.evaluate(() => document.activeElement?.id), "content");
  },
};
