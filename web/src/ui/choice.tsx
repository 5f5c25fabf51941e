// Things to choose from, each with room for a finger: one of them, or several.

import type { ReactNode } from "react";
import { say } from "@/messages";

type Kind = "one" | "several";

type ChoicesProps = {
  kind: Kind;
  legend: ReactNode;
  required?: boolean;
  invalid?: boolean;
  describedBy?: string | undefined;
  before?: ReactNode;
  after?: ReactNode;
  /** How many stand beside each other where there is room. */
  columns?: 2 | 3;
  /** Whether there are so many that they scroll by themselves. */
  long?: boolean;
  /** For whoever may choose nothing and has chosen. */
  onClear?: () => void;
  children: ReactNode;
};

export function Choices(props: ChoicesProps) {
  const {
    kind,
    legend,
    required = false,
    invalid = false,
    describedBy,
    before,
    after,
    columns = 2,
    long,
    onClear,
    children,
  } = props;
  const one = kind === "one" && { role: "radiogroup", "aria-required": required, "aria-invalid": invalid };
  return (
    <fieldset {...one} aria-describedby={describedBy} className="min-w-0">
      <legend className="text-sm font-semibold">{legend}</legend>
      {before}
      <div
        className={`mt-1.5 grid gap-2 ${columns === 3 ? "sm:grid-cols-3" : "sm:grid-cols-2"} ${long ? "max-h-80 overflow-y-auto rounded-lg border border-line p-2" : ""}`}
      >
        {children}
      </div>
      {onClear && (
        <button
          type="button"
          className="mt-1 min-h-8 text-xs font-medium text-accent underline underline-offset-4"
          onClick={onClear}
        >
          {say.form.clear}
        </button>
      )}
      {after}
    </fieldset>
  );
}

type ChoiceProps = {
  kind: Kind;
  /** The same for all that exclude each other. */
  name: string;
  chosen: boolean;
  onChoose: () => void;
  label: ReactNode;
  children?: ReactNode;
};

export function Choice({ kind, name, chosen, onChoose, label, children }: ChoiceProps) {
  return (
    <label
      className={`flex min-h-11 items-start gap-3 rounded-lg border px-3.5 py-2.5 transition-colors has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent ${chosen ? "border-accent bg-accent-soft" : "border-line hover:border-line-strong"}`}
    >
      <input
        type={kind === "one" ? "radio" : "checkbox"}
        name={name}
        checked={chosen}
        onChange={onChoose}
        className="mt-0.5 size-4 shrink-0 accent-accent outline-none"
      />
      <span className="min-w-0 wrap-anywhere">
        <span className="block text-sm font-medium">{label}</span>
        {children && <span className="mt-0.5 block text-sm text-soft">{children}</span>}
      </span>
    </label>
  );
}
