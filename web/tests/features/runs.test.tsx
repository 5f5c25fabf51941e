import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { COMMAND, fake, open } from "../server";

const PATIENT = { timeout: 45_000 };

function seqs(): number[] {
  return [...document.querySelectorAll<HTMLElement>("li[data-seq]")].map((row) => Number(row.dataset.seq));
}

function lines(): (string | null)[] {
  return [...document.querySelectorAll("[data-line]")].map((line) => line.textContent);
}

test("events come live, and after breaks none is missing and none is there twice", async () => {
  const run = fake.run();
  fake.ask(run, COMMAND);
  fake.breaks = 3;
  await open(`/runs/${run.id}`, "cs_user_kim");
  await waitFor(() => expect(seqs()).toEqual([1, 2, 3, 4, 5]), PATIENT);
  const resumed = fake.requests.filter(({ path, headers }) => path.endsWith("/events") && headers["last-event-id"]);
  const after = resumed.map(({ headers }) => headers["last-event-id"]);
  expect(after.slice(0, 2)).toEqual(["1", "2"]);
  fake.event(run.id, "run_completed", { output: "done" });
  await waitFor(() => expect(seqs()).toEqual([1, 2, 3, 4, 5, 6]), PATIENT);
  await screen.findByText("Ended", undefined, PATIENT);
});

test("what the model says is shown while it speaks, and once it is stored, once", async () => {
  const run = fake.run();
  await open(`/runs/${run.id}`, "cs_user_kim");
  await screen.findByText("Live", undefined, PATIENT);
  fake.event(run.id, "step_delta", { text: "I will " });
  fake.event(run.id, "step_delta", { text: "look" });
  await screen.findByText("I will look", undefined, PATIENT);
  fake.event(run.id, "step_completed", { text: "I will look", calls: [] });
  await waitFor(() => expect(lines()).toEqual(["dana started assistant", "assistant spoke"]), PATIENT);
  expect(screen.getAllByText("I will look")).toHaveLength(1);
});

test("a call that waits can be answered on the page of its run", async () => {
  const run = fake.run();
  const asked = fake.ask(run, COMMAND);
  const user = await open(`/runs/${run.id}`, "cs_user_kim");
  const approve = await screen.findByRole("button", { name: "Approve" }, PATIENT);
  await waitFor(() => expect(approve).toHaveProperty("disabled", false), PATIENT);
  await user.click(approve);
  await screen.findByText(/You approved this call/, undefined, PATIENT);
  expect(asked.status).toBe("answered");
});

test("an agent that is a script is called one, and a run of it can be started", async () => {
  const user = await open("/runs", "cs_user_kim");
  const script = await screen.findByRole("radio", { name: /demo.*script, no model/ }, PATIENT);
  await user.click(script);
  await user.type(screen.getByLabelText("What should it do?"), "show me");
  await user.click(screen.getByRole("button", { name: "Start" }));
  await waitFor(() => expect(window.location.pathname).toMatch(/^\/runs\/run_/), PATIENT);
  const sent = fake.requests.find(({ method, path }) => method === "POST" && path === "/api/runs");
  expect(JSON.parse(sent?.body ?? "")).toEqual({ agent: "demo", input: "show me" });
});

test("a kind of event that is not known is a row like any other", async () => {
  const run = fake.run();
  fake.event(run.id, "moon_phase", { phase: "full" });
  await open(`/runs/${run.id}`, "cs_user_kim");
  await waitFor(() => expect(lines()).toEqual(["dana started assistant", "moon_phase"]), PATIENT);
});

test("a run is stopped after a second look, and what waited is withdrawn", async () => {
  const run = fake.run();
  const asked = fake.ask(run, COMMAND);
  const user = await open(`/runs/${run.id}`, "cs_user_kim");
  await user.click(await screen.findByRole("button", { name: "Stop this run…" }, PATIENT));
  expect(run.status).toBe("waiting");
  await user.type(screen.getByLabelText("Reason"), "wrong folder");
  await user.click(screen.getByRole("button", { name: "Stop this run" }));
  await screen.findByText("stopped", undefined, PATIENT);
  await waitFor(
    () => expect(lines().slice(-2)).toEqual(["The wait is over: the question was withdrawn", "kim stopped the run"]),
    PATIENT,
  );
  screen.getByText("wrong folder");
  expect(asked.status).toBe("cancelled");
  expect(screen.queryByRole("button", { name: /Stop this run|Send/ })).toBeNull();
});

test("what is written to the agent is sent once, and seen among what happened", async () => {
  const run = fake.run();
  const user = await open(`/runs/${run.id}`, "cs_user_kim");
  const field = await screen.findByLabelText("Write to assistant", undefined, PATIENT);
  await user.type(field, "not in vendor/");
  await user.click(screen.getByRole("button", { name: "Send" }));
  await screen.findByText("Sent.", undefined, PATIENT);
  await waitFor(() => expect(lines()).toEqual(["dana started assistant", "kim wrote to assistant"]), PATIENT);
  const sent = fake.requests.filter(({ path }) => path.endsWith("/message"));
  expect(sent.map(({ body }) => JSON.parse(body))).toEqual([{ text: "not in vendor/" }]);
});

test("a result that was withheld is not told as a call that was not made", async () => {
  const run = fake.run();
  const asked = fake.ask(run, COMMAND, { purpose: "result_review" });
  const { tool_call_id: call_id } = asked;
  fake.event(run.id, "interaction_response", {
    interaction_request_id: asked.id,
    response: { decision: "reject", user_id: "kim" },
    settled: true,
  });
  fake.event(run.id, "tool_finished", { call_id, status: "rejected", output: "withheld" });
  fake.event(run.id, "tool_lost", { call_id, again: false });
  fake.event(run.id, "run_set_aside", { error: { code: "SET_ASIDE", message: "5 times in a row" } });
  await open(`/runs/${run.id}`, "cs_user_vic");
  await waitFor(
    () =>
      expect(lines().slice(-4)).toEqual([
        "kim withheld what bash gave",
        "assistant is not given what bash gave",
        "bash was started, and nobody knows whether it happened",
        "The run is set aside: nobody takes it up any more",
      ]),
    PATIENT,
  );
  expect(screen.queryByRole("button", { name: /Stop this run/ })).toBeNull();
});

test("a call of a program outside is told apart, and nobody is asked for its report", async () => {
  const run = fake.run({ kind: "call", agent: "deployer", input: "db/look", status: "waiting" });
  const [call_id, wait] = ["call_1", { interaction_request_id: "int_1" }];
  fake.event(run.id, "step_completed", { text: "", calls: [{ call_id, name: "db/look", args: {} }] });
  fake.event(run.id, "tool_judged", { call_id, verdict: "allow", reasons: [] });
  fake.event(run.id, "tool_started", { call_id, fence: 0 });
  const asked = { id: "int_1", tool_call_id: call_id, tool_name: "db/look", purpose: "report", allowed_decisions: [] };
  fake.event(run.id, "interaction_request", { interaction_request: asked });
  fake.event(run.id, "execution_suspended", { ...wait, wait_type: "report" });
  await open(`/runs/${run.id}`, "cs_user_kim");
  await waitFor(() => expect(lines()).toContain("The run sleeps until deployer reports"), PATIENT);
  expect(screen.getByText("call")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Approve" })).toBeNull();
  expect(screen.queryByLabelText(/Write to/)).toBeNull();
  fake.event(run.id, "wait_completed", { ...wait, outcome: "came" });
  await waitFor(
    () =>
      expect(lines()).toEqual([
        "dana asks before it acts",
        "deployer proposes db/look",
        "The policy allows db/look",
        "db/look starts",
        "deployer makes the call itself; its report is waited for",
        "The run sleeps until deployer reports",
        "deployer reported",
      ]),
    PATIENT,
  );
});

test("the list of runs says which is a call of a program outside", async () => {
  fake.run({ kind: "call", agent: "deployer", input: "db/look", status: "waiting" });
  fake.run();
  await open("/runs", "cs_user_kim");
  expect(await screen.findAllByText("call", undefined, PATIENT)).toHaveLength(1);
});
