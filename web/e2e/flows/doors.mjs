// Coming in, going out, and what is there before anything is.
import assert from "node:assert/strict";
import { button, matches, sizeOfScripts } from "./acts.mjs";

const account = (page) => page.locator("button[data-account]");

export const flows = {
  "the printed link signs in once, and leaves no secret in the address": async ({ server, stranger }) => {
    const page = await stranger();
    await page.goto(server.link);
    await account(page).waitFor();
    assert.ok(!page.url().includes("#"), page.url());
    await page.getByText("Nothing waits for you").waitFor();
    await page.reload();
    await account(page).waitFor();
    const second = await stranger();
    await second.goto(server.link);
    await second.getByText("This link does not let you in").waitFor();
    assert.equal(await account(second).count(), 0);
  },

  "what the browser loads before anything can be done is small": async ({ as }) => {
    const page = await as("kim", "approver");
    await page.goto("/");
    await page.getByText("Nothing waits for you").waitFor();
    const size = await sizeOfScripts(page);
    assert.ok(size > 50_000 && size < 250_000, `${size} bytes`);
  },

  "a personal token signs in, a wrong one does not": async ({ server, stranger }) => {
    const token = await server.token("kim", "approver");
    const page = await stranger();
    await page.goto("/runs");
    await page.getByLabel("Personal token").fill("cs_user_made_up");
    await button(page, "Sign in").click();
    await page.getByText("This token does not let you in").waitFor();
    await page.getByLabel("Personal token").fill(token);
    await button(page, "Sign in").click();
    await account(page).waitFor();
    matches(await account(page).textContent(), /kim/);
  },

  "whoever signs out is at the door, on every page": async ({ as }) => {
    const page = await as("kim", "approver");
    await page.goto("/");
    await account(page).click();
    await button(page, "Sign out").click();
    await page.getByLabel("Personal token").waitFor();
    await page.goto("/audit");
    await page.getByLabel("Personal token").waitFor();
    assert.equal(await account(page).count(), 0);
  },

  "a session that was ended elsewhere ends on the page": async ({ server, as }) => {
    const page = await as("kim", "approver");
    await page.goto("/settings");
    await account(page).waitFor();
    const cookies = await page.context().cookies();
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
    await server.api("POST", "/sign-out", undefined, cookie);
    await page.getByLabel("Personal token").waitFor();
    assert.equal(await account(page).count(), 0);
  },

  "an address that leads nowhere says so and leads back": async ({ as }) => {
    const page = await as("kim", "approver");
    await page.goto("/nowhere");
    await page.getByText("There is no such page").waitFor();
    await page.getByRole("link", { name: "Go to the inbox" }).click();
    await page.getByText("Nothing waits for you").waitFor();
    await page.goto("/interactions/int_00000000000000000000000000000000");
    await page.getByText(/There is no such question|could not be read/).waitFor();
  },

  "an operator makes a token, it is shown once and lets somebody in until it is revoked": async ({ as, stranger }) => {
    const page = await as("root", "operator");
    await page.goto("/settings");
    const form = page.getByRole("form", { name: "Make a token" });
    await button(form, "Make the token").click();
    await form.getByText("Say whose it is.").waitFor();
    await form.getByLabel("Name").fill("dana");
    await form.getByText("approver", { exact: true }).click();
    await button(form, "Make the token").click();
    await form.getByText("Copy it now").waitFor();
    const token = (await form.locator("pre").textContent()).trim();
    assert.match(token, /^cs_user_[0-9a-f]{64}$/);
    const dana = await stranger();
    await dana.goto("/");
    await dana.getByLabel("Personal token").fill(token);
    await button(dana, "Sign in").click();
    await account(dana).waitFor();
    await page.reload();
    await page.getByRole("list", { name: "Tokens" }).getByText("dana").waitFor();
    assert.ok(!(await page.content()).includes(token), "it is shown once");
    await button(page, "Revoke the token of dana").click();
    await button(page, "Yes, revoke the token of dana").click();
    await page.getByRole("list", { name: "Tokens" }).getByText("dana").waitFor({ state: "detached" });
    await dana.reload();
    await dana.getByLabel("Personal token").waitFor();
  },

  "an approver sees no tokens": async ({ as }) => {
    const page = await as("kim", "approver");
    await page.goto("/settings");
    await page.getByRole("heading", { name: "Signed in" }).waitFor();
    assert.equal(await page.getByRole("form", { name: "Make a token" }).count(), 0);
  },
};
