// What stands around every part of a form: its name, what it is about, and what does not fit.

import type { ReactNode } from "react";
import type { Form } from "@/api/client";
import { say } from "@/messages";
import { Passage } from "@/ui/passage";
import { Sentence } from "@/ui/seen";

export { fieldLook } from "@/ui/field";

export type FieldProps<Value> = {
  form: Form;
  required: boolean;
  label: ReactNode;
  description?: string | null | undefined;
  misfit: string | undefined;
  value: Value;
  onChange: (value: Value | undefined) => void;
};

export function LabelText({ label, required, aside }: { label: ReactNode; required: boolean; aside?: string }) {
  const beside = [...(required ? [] : [say.form.optional]), ...(aside === undefined ? [] : [aside])];
  return (
    <span className="wrap-anywhere">
      {label}
      {beside.length > 0 && <span className="ml-1.5 text-xs font-normal text-soft">({beside.join("; ")})</span>}
    </span>
  );
}

export function Description({ id, text }: { id: string; text: string | null | undefined }) {
  if (text == null || text === "") return null;
  return (
    <div className="mt-0.5 text-sm text-soft">
      <Passage id={id} text={text} />
    </div>
  );
}

export function Misfit({ id, text }: { id: string; text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p id={id} data-misfit className="mt-1.5 text-sm font-medium text-stop first-letter:uppercase wrap-anywhere">
      <Sentence text={text} />
    </p>
  );
}

/** The ids of those of `texts` that are there, for `aria-describedby`. */
export function describedBy(texts: Record<string, unknown>): string | undefined {
  const ids = Object.entries(texts).flatMap(([id, text]) => (text == null || text === "" ? [] : [id]));
  return ids.length > 0 ? ids.join(" ") : undefined;
}
