import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import type { Interaction } from "@/api/client";
import { RELEASE } from "../fake-server.mjs";
import { COMMAND, fake, open } from "../server";

const PATIENT = { timeout: 45_000 };
const ASK = { tool: "ask_user", args: { title: "?" }, risk: "low" };

async function button(name: string) {
  const found = await screen.findByRole("button", { name }, PATIENT);
  await waitFor(() => expect(found).toHaveProperty("disabled", false), PATIENT);
  return found;
}

function asked(call: object, more: Partial<Interaction>): Interaction {
  return fake.ask(fake.run(), call, more);
}

function sent(): unknown[] {
  const answers = fake.requests.filter(({ path }) => path.endsWith("/respond"));
  return answers.map(({ body }) => {
    const { request_id: _, ...rest } = JSON.parse(body);
    return rest;
  });
}

test("a combined form is filled in, held back while something is missing, and sent part by part", async () => {
  const question = asked(ASK, { purpose: "question", ...RELEASE });
  const user = await open(`/interactions/${question.id}`, "cs_user_kim");
  await screen.findByRole("heading", { name: "assistant has a question" }, PATIENT);
  await user.click(await button("Send answer"));
  await screen.findByText("Not sent yet: 3 parts need your attention.", undefined, PATIENT);
  expect(document.activeElement).toBe(screen.getByLabelText("Version"));
  expect(screen.getByLabelText("Version").getAttribute("aria-invalid")).toBe("true");
  expect(sent()).toEqual([]);

  await user.type(screen.getByLabelText("Version"), "1.4.0");
  await user.click(screen.getByRole("radio", { name: /Beta/ }));
  await user.click(screen.getByRole("checkbox", { name: "The team, in the chat" }));
  await user.click(screen.getByRole("checkbox", { name: "Customers, by mail" }));
  await user.click(screen.getByRole("radio", { name: "No tag" }));
  expect(screen.queryByText(/Not sent yet/)).toBeNull();
  await user.click(await button("Send answer"));
  await screen.findByText(/You answered/, undefined, PATIENT);
  expect(sent()).toEqual([
    {
      decision: "answer",
      responses: [
        { request_id: "version", text: "1.4.0" },
        { request_id: "channel", selected_values: ["beta"] },
        {
          request_id: "more",
          responses: [
            { request_id: "tell", selected_values: ["mail", "chat"] },
            { request_id: "tag", confirmed: false },
          ],
        },
      ],
    },
  ]);
  screen.getByText("Customers, by mail, The team, in the chat");
});

test("what the server does not take is said at the part that it names, and can be mended", async () => {
  const question = asked(ASK, { purpose: "question", ...RELEASE });
  const user = await open(`/interactions/${question.id}`, "cs_user_kim");
  await user.type(await screen.findByLabelText("Version", undefined, PATIENT), "1.4.0");
  await user.click(screen.getByRole("radio", { name: "Everybody" }));
  await user.click(screen.getByRole("radio", { name: "Tag it" }));
  fake.refuses = "`version`: `1.4.0` was released already";
  await user.click(await button("Send answer"));
  await screen.findByText(/was released already/, undefined, PATIENT);
  expect(screen.getByLabelText("Version").getAttribute("aria-invalid")).toBe("true");
  await user.type(screen.getByLabelText("Version"), "1");
  expect(screen.queryByText(/was released already/)).toBeNull();
  await user.click(await button("Send answer"));
  await screen.findByText(/You answered/, undefined, PATIENT);
});

test("one line is sent with Enter, and what need not be answered may be left empty", async () => {
  const one = asked(ASK, { purpose: "question", type: "input", title: "Which branch?", required: true });
  const user = await open(`/interactions/${one.id}`, "cs_user_kim");
  await button("Send answer");
  await user.type(await screen.findByLabelText("Your answer", undefined, PATIENT), "main{Enter}");
  await screen.findByText(/You answered/, undefined, PATIENT);
  expect(sent()).toEqual([{ decision: "answer", text: "main" }]);
});

test("a question is declined with a reason, and what was filled in survives a change of mind", async () => {
  const question = asked(ASK, { purpose: "question", type: "input", title: "Password?", multiline: true });
  const user = await open(`/interactions/${question.id}`, "cs_user_kim");
  await user.type(await screen.findByLabelText("Your answer", undefined, PATIENT), "half a");
  await user.click(await button("Decline…"));
  await user.keyboard("{Escape}");
  expect(screen.getByLabelText("Your answer")).toHaveProperty("value", "half a");
  await user.click(await button("Decline…"));
  await user.type(screen.getByLabelText("Reason"), "never ask for that");
  await user.click(await button("Decline to answer"));
  await screen.findByText(/You declined to answer/, undefined, PATIENT);
  expect(sent()).toEqual([{ decision: "reject", reason: "never ask for that" }]);
});

test("words of an agent that hide something are written out, and are no heading of ours", async () => {
  const question = asked(ASK, {
    purpose: "question",
    type: "confirm",
    title: "Approve\u200b?",
    confirm_text: "Approve",
  });
  await open(`/interactions/${question.id}`, "cs_user_kim");
  await screen.findByText(/Nobody has checked them/, undefined, PATIENT);
  expect(document.querySelector("blockquote")?.textContent).toBe("Approve\\u{200B}?");
  expect(screen.queryByRole("button", { name: /Approve/ })).toBeNull();
});

test("approve and remember sends the pattern as it was shown, with its end", async () => {
  const pattern = "bash(rm -rf ./build)";
  const question = asked(COMMAND, { remember_options: [{ pattern, label: "exactly this call" }] });
  const user = await open(`/interactions/${question.id}`, "cs_user_kim");
  await user.click(await button("Approve and remember…"));
  expect(screen.getByRole("region", { name: "Pattern, exactly as it will match" }).textContent).toBe(pattern);
  const until = screen.getByLabelText("Until");
  await user.type(until, "2020-01-01T10:00");
  await user.click(await button("Approve and remember"));
  screen.getByText("This is in the past.");
  expect(sent()).toEqual([]);
  await user.clear(until);
  await user.type(until, "2099-01-01T10:00");
  await user.click(await button("Approve and remember"));
  await screen.findByText(/You approved this call/, undefined, PATIENT);
  const expires_at = new Date("2099-01-01T10:00").toISOString();
  expect(sent()).toEqual([{ decision: "approve", remember: { pattern, scope: "user", expires_at } }]);
});

test("where nothing can be remembered nothing of the kind is offered", async () => {
  const question = asked(COMMAND, {});
  await open(`/interactions/${question.id}`, "cs_user_kim");
  await button("Approve");
  expect(screen.queryByRole("button", { name: /remember/ })).toBeNull();
});

const REVIEW: Partial<Interaction> = {
  purpose: "result_review",
  title: "May `assistant` see what `bash` gave?",
  result: { output: "key=\u200bs3cret\nuser=kim", failed: false },
};

test("a result is shown with what hides in it, and released", async () => {
  const question = asked(COMMAND, REVIEW);
  const user = await open(`/interactions/${question.id}`, "cs_user_kim");
  await screen.findByText(/1 character here cannot be seen/, undefined, PATIENT);
  expect(screen.getByRole("region", { name: "What the tool gave" }).textContent).toBe("key=\\u{200B}s3cret\nuser=kim");
  await user.click(await button("Release"));
  await screen.findByText(/You released the result/, undefined, PATIENT);
  expect(sent()).toEqual([{ decision: "release" }]);
});

test("a result is replaced with words, which may start from the result", async () => {
  const question = asked(COMMAND, REVIEW);
  const user = await open(`/interactions/${question.id}`, "cs_user_kim");
  await user.click(await button("Replace…"));
  await user.click(await button("Send this instead"));
  screen.getByText("Write what the agent is told, or withhold the result.");
  await user.click(await button("Start from the result"));
  const field = screen.getByLabelText("What the agent is told instead");
  expect(field).toHaveProperty("value", "key=\u200bs3cret\nuser=kim");
  await user.clear(field);
  await user.type(field, "user=kim");
  await user.click(await button("Send this instead"));
  await screen.findByText(/You replaced the result/, undefined, PATIENT);
  expect(sent()).toEqual([{ decision: "replace", replacement: "user=kim" }]);
});

test("a result is withheld with a reason", async () => {
  const question = asked(COMMAND, REVIEW);
  const user = await open(`/interactions/${question.id}`, "cs_user_kim");
  await user.click(await button("Withhold…"));
  await user.type(screen.getByLabelText("Reason"), "a key is in it");
  await user.click(await button("Withhold the result"));
  await screen.findByText(/You withheld the result/, undefined, PATIENT);
  expect(sent()).toEqual([{ decision: "reject", reason: "a key is in it" }]);
});

test.each([
  ["It happened", "happened", /that it happened$/],
  ["Run it again", "run_again", /You had it run again/],
  ["Give up", "give_up", /You gave it up/],
])("of a call of which nobody knows one says: %s", async (name, decision, says) => {
  const question = asked(COMMAND, { purpose: "uncertain_outcome", title: "What became of this call of `bash`?" });
  const user = await open(`/interactions/${question.id}`, "cs_user_kim");
  await screen.findByText("This call was started, and nobody knows whether it happened", undefined, PATIENT);
  await user.click(await button(name));
  await screen.findByText(says, undefined, PATIENT);
  expect(sent()).toEqual([{ decision }]);
});

test("a purpose that the page does not know is said to be one", async () => {
  const question = asked(COMMAND, { purpose: "riddle", allowed_decisions: ["guess"] });
  await open(`/interactions/${question.id}`, "cs_user_kim");
  await screen.findByText("This page does not know how to answer this", undefined, PATIENT);
});

test("the list says what is asked for", async () => {
  asked(COMMAND, {});
  asked(ASK, { purpose: "question", type: "input", title: "Which branch?" });
  await open("/", "cs_user_kim");
  const list = await screen.findByRole("list", { name: /Questions that wait/ }, PATIENT);
  within(list).getByText("High risk");
  within(list).getByText("Question");
  within(list).getByText("Which branch?");
});

test("a call is approved with other arguments, and what the server does not take of them is said and can be mended", async () => {
  const question = asked(COMMAND, {});
  const user = await open(`/interactions/${question.id}`, "cs_user_kim");
  await user.click(await button("Edit…"));
  const field = screen.getByLabelText("The arguments, as JSON");
  await user.clear(field);
  await user.paste("[1]");
  await user.click(screen.getByRole("button", { name: "Approve it like this" }));
  await screen.findByText("This is no JSON object.", undefined, PATIENT);
  expect(sent()).toEqual([]);
  await user.clear(field);
  await user.paste('{"command":"ls"}');
  fake.refuses = "`edited_args` do not fit the tool: `args.command`: too short";
  await user.click(screen.getByRole("button", { name: "Approve it like this" }));
  await screen.findByText(/too short/, undefined, PATIENT);
  await user.click(screen.getByRole("button", { name: "Approve it like this" }));
  await screen.findByText(/You edited and approved this call/, undefined, PATIENT);
  expect(sent().at(-1)).toEqual({ decision: "edit", edited_args: { command: "ls" } });
});

test("somebody answers in the tool's place", async () => {
  const question = asked(COMMAND, {});
  const user = await open(`/interactions/${question.id}`, "cs_user_kim");
  await user.click(await button("Answer instead…"));
  await user.type(screen.getByLabelText("What the agent is told in the tool's place"), "it is done");
  await user.click(screen.getByRole("button", { name: "Send this instead" }));
  await screen.findByText(/You answered/, undefined, PATIENT);
  expect(sent()).toEqual([{ decision: "answer", text: "it is done" }]);
});
