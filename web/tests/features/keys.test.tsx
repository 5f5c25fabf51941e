import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { COMMAND, fake, open } from "../server";

const PATIENT = { timeout: 45_000 };

function askAbout(...commands: string[]) {
  const run = fake.run();
  return commands.map((command, place) =>
    fake.ask(
      run,
      { ...COMMAND, args: { command } },
      { expires_at: new Date(Date.now() + (place + 1) * 600_000).toISOString() },
    ),
  );
}

async function settled(name: string) {
  const button = await screen.findByRole("button", { name }, PATIENT);
  await waitFor(() => expect(button).toHaveProperty("disabled", false), PATIENT);
}

test("one moves, approves and rejects without a pointer", async () => {
  const [first, second] = askAbout("one", "two");
  const user = await open(`/interactions/${first?.id}`, "cs_user_kim");
  await settled("Approve");
  await user.keyboard("j");
  await waitFor(() => expect(window.location.pathname).toBe(`/interactions/${second?.id}`), PATIENT);
  await settled("Approve");
  await user.keyboard("r");
  const reason = await screen.findByLabelText("Reason", undefined, PATIENT);
  expect(reason).toHaveProperty("value", "");
  await user.keyboard("a j");
  expect(reason).toHaveProperty("value", "a j");
  await user.keyboard("{Escape}k");
  await waitFor(() => expect(window.location.pathname).toBe(`/interactions/${first?.id}`), PATIENT);
  await settled("Approve");
  await user.keyboard("a");
  await screen.findByText(/You approved this call/, undefined, PATIENT);
  expect([first?.status, second?.status]).toEqual(["answered", "open"]);
});

test("what has just appeared is not answered by a key, nor by one that is held down", async () => {
  const [asked] = askAbout("one");
  const user = await open(`/interactions/${asked?.id}`, "cs_user_kim");
  await screen.findByRole("button", { name: "Approve" }, PATIENT);
  await user.keyboard("a");
  await settled("Approve");
  fireEvent.keyDown(document.body, { key: "a", repeat: true });
  fireEvent.keyDown(document.body, { key: "a", ctrlKey: true });
  expect(asked?.status).toBe("open");
});

test("g and a letter goes to a screen, and decides nothing on the way", async () => {
  const [asked] = askAbout("one");
  const user = await open(`/interactions/${asked?.id}`, "cs_user_kim");
  await settled("Approve");
  await user.keyboard("ga");
  await screen.findByRole("heading", { name: "Audit", level: 1 }, PATIENT);
  await user.keyboard("/");
  expect(document.activeElement).toBe(screen.getByLabelText("Tool"));
  (document.activeElement as HTMLElement).blur();
  await user.keyboard("gs");
  await screen.findByRole("heading", { name: "Settings" }, PATIENT);
  expect(asked?.status).toBe("open");
});

test("the question mark lists the keys, and below the list none does anything", async () => {
  const [asked] = askAbout("one");
  const user = await open(`/interactions/${asked?.id}`, "cs_user_kim");
  await settled("Approve");
  await user.keyboard("?");
  await screen.findByRole("dialog", { name: "Keyboard" }, PATIENT);
  await user.keyboard("a");
  expect(asked?.status).toBe("open");
  await user.click(screen.getByRole("button", { name: "Close" }));
  await user.keyboard("a");
  await screen.findByText(/You approved this call/, undefined, PATIENT);
});

test("what comes while the pointer is over the list waits, and what goes keeps its place", async () => {
  const [first, second] = askAbout("one", "two");
  const user = await open(`/interactions/${first?.id}`, "cs_user_kim");
  const list = await screen.findByRole("list", { name: /Questions that wait/ }, PATIENT);
  const rows = () => [...list.querySelectorAll("li")].map((row) => /one|two|three/.exec(row.textContent ?? "")?.[0]);
  fireEvent.pointerEnter(list.parentElement ?? list, { pointerType: "mouse" });
  const [third] = askAbout("three");
  fake.interactions.set(third?.id ?? "", { ...third, expires_at: new Date(Date.now() + 1000).toISOString() } as never);
  if (second) second.status = "expired";
  const bar = await screen.findByRole("button", { name: "Show 1 new" }, PATIENT);
  expect(rows()).toEqual(["one", "two"]);
  screen.getByText("settled");
  await user.click(bar);
  expect(rows()).toEqual(["three", "one"]);
  await waitFor(() =>
    expect(document.querySelector("[data-news]")?.textContent).toBe("1 new question. 1 question is settled."),
  );
});

test("words in the filter narrow the list, also while the pointer is over it", async () => {
  const [first] = askAbout("one", "two", "three", "four");
  const user = await open(`/interactions/${first?.id}`, "cs_user_kim");
  const field = await screen.findByRole("searchbox", { name: "Filter what waits" }, PATIENT);
  await user.click(field);
  await user.keyboard("BASH two");
  const list = screen.getByRole("list", { name: /Questions that wait/ });
  expect(list.querySelectorAll("li")).toHaveLength(1);
  await user.keyboard(" nothing");
  screen.getByText("Nothing that waits has these words.");
});
