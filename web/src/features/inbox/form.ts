// What a form asks for, what was filled in so far, and whether that fits: the same that the server looks at, so that a
// person hears of it before they send. The server has the last word.

import type { Form, Part, Respond } from "@/api/client";
import { fill, say } from "@/messages";

/** Where in a form: the ids from the whole form down to the part, written as one text. */
export type Place = string;

export function placeOf(path: readonly string[]): Place {
  return JSON.stringify(path);
}

/** Words, what was chosen, or yes and no. */
export type Value = string | string[] | boolean;
export type Values = ReadonlyMap<Place, Value>;
export type Misfits = ReadonlyMap<Place, string>;

export type Reply = Pick<Respond, "text" | "selected_values" | "confirmed" | "responses">;

/** What the server is sent of `values`. What was left empty is left out. */
export function replyTo(form: Form, required: boolean, values: Values, path: readonly string[] = []): Reply {
  const value = values.get(placeOf(path));
  switch (form.type) {
    case "input":
      return typeof value === "string" && value !== "" ? { text: value } : {};
    case "select":
      return Array.isArray(value) && value.length > 0 ? { selected_values: value } : {};
    case "confirm":
      return typeof value === "boolean" ? { confirmed: value } : {};
    case "combined": {
      if (!required && isEmpty(form, values, path)) return {};
      const parts = (form.interactions ?? []).flatMap((field): Part[] => {
        const reply = replyTo(field, field.required, values, [...path, field.id]);
        return Object.keys(reply).length > 0 ? [{ request_id: field.id, ...reply }] : [];
      });
      // Where a reply is required, one that leaves all its parts empty is one too.
      return { responses: parts };
    }
    default:
      return {};
  }
}

/** Whether nothing at all was filled in. */
function isEmpty(form: Form, values: Values, path: readonly string[]): boolean {
  if (form.type !== "combined") return Object.keys(replyTo(form, false, values, path)).length === 0;
  return (form.interactions ?? []).every((field) => isEmpty(field, values, [...path, field.id]));
}

/** The longest text that the server takes, in bytes. */
const LONGEST = 100_000;

/** What does not fit, part by part. */
export function misfits(form: Form, required: boolean, values: Values, path: readonly string[] = []): Misfits {
  const value = values.get(placeOf(path));
  const wrong = (why: string | undefined): Misfits => new Map(why === undefined ? [] : [[placeOf(path), why]]);
  switch (form.type) {
    case "input":
      return wrong(wrongText(form, required, typeof value === "string" ? value : ""));
    case "select":
      return wrong(wrongChoice(form, required, Array.isArray(value) ? value : []));
    case "confirm":
      return wrong(required && typeof value !== "boolean" ? say.form.chooseOne : undefined);
    case "combined": {
      // Nothing at all is a reply to what need not be filled in.
      if (!required && isEmpty(form, values, path)) return new Map();
      const parts = form.interactions ?? [];
      return new Map(parts.flatMap((field) => [...misfits(field, field.required, values, [...path, field.id])]));
    }
    default:
      return new Map();
  }
}

function wrongText({ multiline }: Form, required: boolean, text: string): string | undefined {
  if (new TextEncoder().encode(text).length > LONGEST) return fill(say.form.tooLong, { count: LONGEST });
  if (!multiline && text.includes("\n")) return say.form.oneLine;
  return required && text.trim() === "" ? say.form.needed : undefined;
}

function wrongChoice({ multiple }: Form, required: boolean, chosen: string[]): string | undefined {
  if (!multiple && chosen.length > 1) return say.form.chooseOne;
  if (chosen.length > 0 || !required) return undefined;
  return multiple ? say.form.chooseSome : say.form.chooseOne;
}

/** Where in `form` the server's sentence belongs: the parts on the way stand before it, each between backticks. */
export function placed(form: Form, detail: string): { place: Place; why: string } {
  const path: string[] = [];
  let why = detail;
  for (let at: Form | undefined = form; at !== undefined; ) {
    const next: ({ id: string } & Form) | undefined = at.interactions?.find(({ id }) => why.startsWith(`\`${id}\`: `));
    if (next !== undefined) {
      path.push(next.id);
      why = why.slice(next.id.length + 4);
    }
    at = next;
  }
  return { place: placeOf(path), why };
}
