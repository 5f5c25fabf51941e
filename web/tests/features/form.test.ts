import { expect, test } from "vitest";
import type { Form } from "@/api/client";
import { misfits, placed, placeOf, replyTo, type Value, type Values } from "@/features/inbox/form";
import { RELEASE } from "../fake-server.mjs";

const release = RELEASE as Form;

function filled(...values: [path: string[], value: Value][]): Values {
  return new Map(values.map(([path, value]) => [placeOf(path), value]));
}

function wrong(form: Form, required: boolean, values: Values): Record<string, string> {
  return Object.fromEntries(
    [...misfits(form, required, values)].map(([place, why]) => [JSON.parse(place).join("."), why]),
  );
}

test("what is required must be there, part by part, however deep", () => {
  expect(wrong(release, true, filled())).toEqual({
    version: "This is needed.",
    channel: "Choose one.",
    "more.tag": "Choose one.",
  });
  const values = filled([["version"], " "], [["channel"], ["beta"]], [["more", "tag"], false]);
  expect(wrong(release, true, values)).toEqual({ version: "This is needed." });
});

test("a reply names each part that was filled in, and leaves out what was not", () => {
  const values = filled(
    [["version"], "1.4.0"],
    [["channel"], ["all"]],
    [
      ["more", "tell"],
      ["mail", "chat"],
    ],
    [["more", "notes"], ""],
    [["more", "tag"], false],
  );
  expect(wrong(release, true, values)).toEqual({});
  expect(replyTo(release, true, values)).toEqual({
    responses: [
      { request_id: "version", text: "1.4.0" },
      { request_id: "channel", selected_values: ["all"] },
      {
        request_id: "more",
        responses: [
          { request_id: "tell", selected_values: ["mail", "chat"] },
          { request_id: "tag", confirmed: false },
        ],
      },
    ],
  });
});

test("a combined form that need not be filled in may be left empty, but not half", () => {
  expect(wrong(release, false, filled())).toEqual({});
  expect(replyTo(release, false, filled())).toEqual({});
  expect(Object.keys(wrong(release, false, filled([["version"], "1"])))).toEqual(["channel", "more.tag"]);
});

test("one that is required, and all of whose parts are not, is replied to with nothing", () => {
  const part = { id: "note", type: "input", title: "Note", required: false };
  const inner = { id: "inner", type: "combined", title: "Inner", required: true, interactions: [part] };
  const form: Form = { type: "combined", interactions: [inner] };
  expect(wrong(form, true, filled())).toEqual({});
  expect(replyTo(form, true, filled())).toEqual({ responses: [{ request_id: "inner", responses: [] }] });
});

test("one or several, one line or many, and not too long", () => {
  const options = [{ value: "a", label: "A" }];
  const cases: [form: Form, value: Value, required: boolean, why: string | undefined][] = [
    [{ type: "select", options, multiple: false }, ["a", "b"], true, "Choose one."],
    [{ type: "select", options, multiple: true }, ["a", "b"], true, undefined],
    [{ type: "select", options, multiple: true }, [], true, "Choose at least one."],
    [{ type: "select", options, multiple: true }, [], false, undefined],
    [{ type: "input", multiline: false }, "a\nb", true, "This must be one line."],
    [{ type: "input", multiline: true }, "a\nb", true, undefined],
    [{ type: "input", multiline: true }, "é".repeat(50_001), false, "This is too long: 100000 bytes at the most."],
    [{ type: "confirm" }, false, true, undefined],
  ];
  for (const [form, value, required, why] of cases) {
    expect(wrong(form, required, filled([[], value])), JSON.stringify([form, value])).toEqual(
      why === undefined ? {} : { "": why },
    );
  }
});

test("what the server says is shown where it belongs", () => {
  const at = (detail: string) => placed(release, detail);
  expect(at("`more`: `tag`: it is required, and there is no reply to it")).toEqual({
    place: placeOf(["more", "tag"]),
    why: "it is required, and there is no reply to it",
  });
  expect(at("`channel`: `xl` is not among the options: `beta`, `all`")).toEqual({
    place: placeOf(["channel"]),
    why: "`xl` is not among the options: `beta`, `all`",
  });
  expect(at("there is no part `nobody` to reply to").place).toBe(placeOf([]));
});
