import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { COMMAND, fake, open } from "../server";

const PATIENT = { timeout: 45_000 };

async function block() {
  return screen.findByRole("complementary", { name: "A model's advice (not a decision)" }, PATIENT);
}

test("advice comes beside a question that can be answered all the while", async () => {
  const asked = fake.ask(fake.run(), COMMAND, { advice: { status: "pending" } });
  const user = await open(`/interactions/${asked.id}`, "cs_user_kim");
  within(await block()).getByText("A model is looking at this…");
  const approve = await screen.findByRole("button", { name: "Approve" }, PATIENT);
  await waitFor(() => expect(approve).toHaveProperty("disabled", false), PATIENT);
  // What hides in it is shown, as in any text from outside.
  asked.advice = { status: "given", text: "It removes ./build.\nLook at\u202e the path.", model: "careful" };
  await waitFor(async () => within(await block()).getByText(/It removes/), PATIENT);
  expect((await block()).textContent).toContain("\\u{202E}");
  within(await block()).getByText(/Nobody has checked it/);
  await user.click(approve);
  await screen.findByText(/You approved this call/, undefined, PATIENT);
});

test("where the model failed there is no review", async () => {
  const none = fake.ask(fake.run(), COMMAND, { advice: { status: "none", model: "careful" } });
  await open(`/interactions/${none.id}`, "cs_user_kim");
  within(await block()).getByText("No review");
});

test("without a review nothing is said of one", async () => {
  const asked = fake.ask(fake.run(), COMMAND);
  await open(`/interactions/${asked.id}`, "cs_user_kim");
  await screen.findByRole("button", { name: "Approve" }, PATIENT);
  expect(screen.queryByText(/advice/)).toBeNull();
});
