import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { fake, open } from "../server";

const PATIENT = { timeout: 45_000 };

test("a link signs in once, and is gone from the address", async () => {
  await open("/sign-in#cs_link_once");
  await screen.findByRole("button", { name: "Signed in: dana operator" }, PATIENT);
  expect(window.location.hash).toBe("");
  expect(window.location.pathname).toBe("/");
  const sent = fake.requests.filter(({ path }) => path === "/api/sign-in");
  expect(sent.map(({ body }) => body)).toEqual(['{"link":"cs_link_once"}']);
});

test("whoever has just signed in stays in, also when an earlier answer comes late", async () => {
  fake.hesitates = 500;
  await open("/sign-in#cs_link_once");
  await screen.findByRole("button", { name: "Signed in: dana operator" }, PATIENT);
  await new Promise((later) => setTimeout(later, 800));
  screen.getByRole("button", { name: "Signed in: dana operator" });
});

test("a used link says so, and a token still works", async () => {
  const user = await open("/sign-in#cs_link_used");
  await screen.findByText("This link does not let you in", undefined, PATIENT);
  await user.type(screen.getByLabelText("Personal token"), "cs_user_kim{Enter}");
  await screen.findByRole("button", { name: "Signed in: kim approver" }, PATIENT);
  await waitFor(() => expect(window.location.pathname).toBe("/"), PATIENT);
});

test("without a session the door opens in place, and leads where one wanted to go", async () => {
  const user = await open("/runs");
  await user.type(await screen.findByLabelText("Personal token", undefined, PATIENT), "cs_user_kim{Enter}");
  await screen.findByRole("heading", { name: "Start a run" }, PATIENT);
});

test("signing out shows the door", async () => {
  const user = await open("/runs", "cs_user_kim");
  await user.click(await screen.findByRole("button", { name: "Sign out", hidden: true }, PATIENT));
  await screen.findByLabelText("Personal token", undefined, PATIENT);
  expect(fake.sessions.size).toBe(0);
});
