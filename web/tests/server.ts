// The whole page, before a stand-in for the server that is spoken to over HTTP.

import { cleanup, render } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { createElement } from "react";
import { afterEach, beforeEach } from "vitest";
import { App } from "@/app/app";
import { Fake } from "./fake-server.mjs";

type HappyWindow = Window & { happyDOM: { setURL(url: string): void } };

export let fake: Fake;
let base = "";

beforeEach(async () => {
  fake = new Fake();
  base = await fake.listen();
  window.localStorage.clear();
});

afterEach(async () => {
  cleanup();
  await fake.close();
});

function happy() {
  return (window as unknown as HappyWindow).happyDOM;
}

/** Opens the page at `path`, signed in with `token` if one is given. */
export async function open(path: string, token?: string) {
  happy().setURL(base + path);
  window.history.replaceState(null, "");
  if (token !== undefined) await fetch("/api/sign-in", { method: "POST", body: JSON.stringify({ token }) });
  const user = userEvent.setup();
  render(createElement(App));
  return user;
}

export const COMMAND = { tool: "bash", args: { command: "rm -rf ./build" }, capabilities: ["shell"], risk: "high" };
