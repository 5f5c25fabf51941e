// Questions of agents: each kind of form, filled in and validated as the server does.
import assert from "node:assert/strict";
import { button, matches, open, outcome, question } from "./acts.mjs";

const COLOURS = [
  { value: "red", label: "Red" },
  { value: "green", label: "Green" },
  { value: "blue", label: "Blue" },
];

/** Asks one thing, has `fill` fill it in, and gives what the agent was told. */
function asks(form, fill, says = /You answered/) {
  return {
    turns: question(form),
    act: async ({ server, as }) => {
      const page = await as("kim", "approver");
      const run = await server.start();
      const [{ id }] = await server.open(1);
      const card = await open(page, id);
      const expected = await fill(card, page);
      matches(await outcome(card), says);
      await server.ends(run);
      const told = server.model.asked.at(-1).messages.findLast(({ role }) => role === "tool").content;
      if (expected instanceof RegExp) matches(told, expected);
      else assert.deepEqual(JSON.parse(told), expected);
    },
  };
}

const send = (card) => button(card, "Send answer").click();

export const flows = {
  "one line is written, and an empty one is not sent": asks({ title: "Which name?", type: "input" }, async (card) => {
    await send(card);
    await card.getByText("This is needed.").waitFor();
    await card.getByLabel("Your answer").fill("Kim");
    await send(card);
    return { text: "Kim" };
  }),

  "many lines are written": asks({ title: "What changed?", type: "input", multiline: true }, async (card) => {
    await card.getByLabel("Your answer").fill("one\ntwo");
    await send(card);
    return { text: "one\ntwo" };
  }),

  "one is chosen": asks({ title: "Which colour?", type: "select", options: COLOURS }, async (card) => {
    await send(card);
    await card.getByText("Choose one.").waitFor();
    await card.getByLabel("Green").check();
    await card.getByLabel("Blue").check();
    await send(card);
    return { selected_values: ["blue"] };
  }),

  "several are chosen": asks(
    { title: "Which colours?", type: "select", multiple: true, options: COLOURS },
    async (card) => {
      await card.getByLabel("Blue").check();
      await card.getByLabel("Red").check();
      await send(card);
      return { selected_values: ["red", "blue"] };
    },
  ),

  "a no is an answer as well": asks(
    { title: "Tag it?", type: "confirm", confirm_text: "Tag it", cancel_text: "No tag" },
    async (card) => {
      await card.getByLabel("No tag").check();
      await send(card);
      return { confirmed: false };
    },
  ),

  "a combined form leads to the part that is wrong, and keeps the rest": asks(
    {
      title: "How shall I release it?",
      type: "combined",
      interactions: [
        { id: "version", title: "Version", type: "input" },
        { id: "colour", title: "Colour", type: "select", options: COLOURS },
        { id: "tag", title: "Tag it?", type: "confirm" },
      ],
    },
    async (card, page) => {
      await card.getByLabel("Version").fill("1.4.0");
      await card.getByRole("radiogroup", { name: "Tag it?" }).getByLabel("Yes").check();
      await send(card);
      await card.getByText("Not sent yet: 1 part needs your attention.").waitFor();
      assert.deepEqual(await card.locator("[data-misfit]").allTextContents(), ["Choose one."]);
      assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("type")), "radio");
      await card.getByLabel("Green").check();
      await send(card);
      return {
        responses: [
          { request_id: "version", text: "1.4.0" },
          { request_id: "colour", selected_values: ["green"] },
          { request_id: "tag", confirmed: true },
        ],
      };
    },
  ),

  "a question is declined with a reason": asks(
    { title: "Which password?", type: "input" },
    async (card) => {
      await button(card, "Decline…").click();
      await card.getByLabel("Reason").fill("never ask for passwords");
      await button(card, "Decline to answer").click();
      return /never ask for passwords/;
    },
    /You declined to answer/,
  ),
};
