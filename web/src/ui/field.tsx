// A field with its name, what it is about, and what does not fit.

import { type ReactNode, useId } from "react";
import { say } from "@/messages";
import { Sentence } from "./seen";

export const fieldLook =
  "mt-1.5 block w-full rounded-lg border bg-code px-3 py-2 text-base placeholder:text-soft sm:text-sm border-line-strong aria-invalid:border-stop";

type Given = { id: string; "aria-describedby": string | undefined; "aria-invalid": boolean; className: string };

type Props = {
  label: string;
  about?: string;
  optional?: boolean;
  wrong?: string | undefined;
  className?: string;
  /** The field itself. */
  children: (given: Given) => ReactNode;
};

export function Field({ label, about, optional = false, wrong, className = "", children }: Props) {
  const id = useId();
  const described = [...(about === undefined ? [] : [`${id}-about`]), ...(wrong === undefined ? [] : [`${id}-wrong`])];
  return (
    <div className={`min-w-0 ${className}`}>
      <label htmlFor={id} className="text-sm font-semibold">
        {label}
        {optional && <span className="ml-1.5 text-xs font-normal text-soft">({say.form.optional})</span>}
      </label>
      {about !== undefined && (
        <p id={`${id}-about`} className="text-xs text-soft">
          {about}
        </p>
      )}
      {children({
        id,
        "aria-describedby": described.length > 0 ? described.join(" ") : undefined,
        "aria-invalid": wrong !== undefined,
        className: `${fieldLook} min-h-11`,
      })}
      {wrong !== undefined && (
        <p id={`${id}-wrong`} className="mt-1.5 text-sm font-medium text-stop wrap-anywhere first-letter:uppercase">
          <Sentence text={wrong} />
        </p>
      )}
    </div>
  );
}
