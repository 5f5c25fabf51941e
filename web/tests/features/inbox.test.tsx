import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { COMMAND, fake, open } from "../server";

const SETTLED = { timeout: 45_000 };

async function button(name: string) {
  const found = await screen.findByRole("button", { name }, SETTLED);
  await waitFor(() => expect(found).toHaveProperty("disabled", false), SETTLED);
  return found;
}

test("the one that ends first stands on top", async () => {
  const run = fake.run();
  fake.ask(
    run,
    { ...COMMAND, args: { command: "later" } },
    { expires_at: new Date(Date.now() + 900_000).toISOString() },
  );
  fake.ask(
    run,
    { ...COMMAND, args: { command: "sooner" } },
    { expires_at: new Date(Date.now() + 60_000).toISOString() },
  );
  await open("/", "cs_user_kim");
  const list = await screen.findByRole("list", { name: /Questions that wait/ }, SETTLED);
  const items = within(list).getAllByRole("listitem");
  expect(items.map((item) => /sooner|later/.exec(item.textContent ?? "")?.[0])).toEqual(["sooner", "later"]);
});

test("an approval is sent once, for exactly this question", async () => {
  const asked = fake.ask(fake.run(), COMMAND);
  const user = await open(`/interactions/${asked.id}`, "cs_user_kim");
  await user.click(await button("Approve"));
  await screen.findByText(/You approved this call/, undefined, SETTLED);
  const sent = fake.requests.filter(({ path }) => path.endsWith("/respond"));
  expect(sent.map(({ body }) => JSON.parse(body))).toEqual([{ request_id: asked.id, decision: "approve" }]);
});

test("a rejection carries its reason", async () => {
  const asked = fake.ask(fake.run(), COMMAND);
  const user = await open(`/interactions/${asked.id}`, "cs_user_kim");
  await user.click(await button("Reject…"));
  await user.type(screen.getByLabelText("Reason"), "use make clean");
  await user.click(await button("Reject this call"));
  await screen.findByText(/You rejected this call/, undefined, SETTLED);
  expect(asked.answer).toMatchObject({ decision: "reject", reason: "use make clean" });
});

test("a stray Enter decides nothing, at no moment", async () => {
  const asked = fake.ask(fake.run(), COMMAND);
  const user = await open(`/interactions/${asked.id}`, "cs_user_kim");
  await screen.findByRole("heading", { name: /wants to run a command/ }, SETTLED);
  await user.keyboard("{Enter}");
  await button("Approve");
  await user.keyboard("{Enter}{Enter}");
  await user.click(await button("Reject…"));
  await user.keyboard("{Enter}");
  expect(asked.status).toBe("open");
  expect(screen.getByLabelText("Reason")).toHaveProperty("value", "\n");
});

test("whoever comes second is told who was first", async () => {
  const asked = fake.ask(fake.run(), COMMAND);
  const user = await open(`/interactions/${asked.id}`, "cs_user_kim");
  const approve = await button("Approve");
  const responded_at = new Date().toISOString();
  // Behind the page's back, which still takes it to be open.
  asked.answer = { decision: "reject", reason: null, user_id: "dana", kind: "user", responded_at };
  await user.click(approve);
  await screen.findByText("Somebody was faster", undefined, SETTLED);
  expect(screen.getByText(/Rejected by/).textContent).toBe("Rejected by dana just now. Your answer changed nothing.");
});

test("an answer that comes too late is told so", async () => {
  const asked = fake.ask(fake.run(), COMMAND);
  const user = await open(`/interactions/${asked.id}`, "cs_user_kim");
  const approve = await button("Approve");
  asked.status = "expired";
  await user.click(approve);
  await screen.findByText(/Your answer came too late|Nobody answered in time/, undefined, SETTLED);
});

test("a viewer sees the call and no way to answer it", async () => {
  const asked = fake.ask(fake.run(), COMMAND);
  await open(`/interactions/${asked.id}`, "cs_user_vic");
  await screen.findByText(/signed in as a viewer/, undefined, SETTLED);
  expect(screen.queryByRole("button", { name: /Approve|Reject/ })).toBeNull();
});

test("what hides in a command is written out, and said", async () => {
  const asked = fake.ask(fake.run(), { ...COMMAND, args: { command: "npm run lint \u202e && cu\u200brl x" } });
  await open(`/interactions/${asked.id}`, "cs_user_kim");
  await screen.findByText(/2 characters here cannot be seen/, undefined, SETTLED);
  const block = screen.getByRole("region", { name: "Command line" });
  expect(block.textContent).toBe("npm run lint \\u{202E} && cu\\u{200B}rl x");
});

const EDIT = {
  tool: "file_edit",
  args: { file_path: "a.md", old_string: "b", new_string: "B" },
  resource: "file_edit(/srv/shop/a.md)",
  capabilities: ["write_file"],
};

test("what would change in a file is shown line by line", async () => {
  const text = "--- now\n+++ then\n@@ -1,2 +1,2 @@\n a\n-b\n+B\u202e\n";
  const preview = { kind: "diff", path: "/srv/shop/a.md", text, digest: `sha256:${"0".repeat(64)}` };
  const asked = fake.ask(fake.run(), EDIT, { preview });
  await open(`/interactions/${asked.id}`, "cs_user_kim");
  const shown = await screen.findByRole("region", { name: "What would change in /srv/shop/a.md" }, SETTLED);
  const lines = [...shown.querySelectorAll("pre > span")].map((line) => [line.textContent, line.className]);
  expect(lines.map(([line]) => line)).toEqual(["--- now", "+++ then", "@@ -1,2 +1,2 @@", " a", "-b", "+B\\u{202E}"]);
  expect(lines.map(([, look]) => /bg-\S+|text-\S+/.exec(look ?? "")?.[0])).toEqual([
    "text-soft",
    "text-soft",
    "text-soft",
    undefined,
    "bg-stop-soft",
    "bg-calm-soft",
  ]);
  expect(screen.getByText(/1 character here cannot be seen/)).toBeTruthy();
  expect(screen.queryByText(/This leads to/)).toBeNull();
});

test("a path that leads elsewhere, and a change that would fail, are said", async () => {
  const preview = { kind: "note", path: "/srv/shop/b.md", text: "This would fail: it is a folder." };
  const asked = fake.ask(fake.run(), EDIT, { preview });
  await open(`/interactions/${asked.id}`, "cs_user_kim");
  expect((await screen.findByText(/This leads to/, undefined, SETTLED)).textContent).toBe(
    "This leads to /srv/shop/b.md",
  );
  expect(screen.getByText("This would fail: it is a folder.")).toBeTruthy();
});

test("what comes while the page is open is shown when it comes", async () => {
  await open("/", "cs_user_kim");
  await screen.findByText(/Nothing waits/, undefined, SETTLED);
  // Whoever only asked from time to time would not see all of them in the time that this test has.
  for (const word of ["one", "two", "three", "four", "five", "six"]) {
    fake.ask(fake.run(), { ...COMMAND, args: { command: word } });
    await screen.findAllByText(new RegExp(word), undefined, SETTLED);
  }
}, 10_000);

test("where there is no stream, the page asks from time to time", async () => {
  fake.deaf = true;
  await open("/", "cs_user_kim");
  await screen.findByText(/Nothing waits/, undefined, SETTLED);
  fake.ask(fake.run(), { ...COMMAND, args: { command: "later" } });
  await screen.findByText(/later/, undefined, SETTLED);
});
