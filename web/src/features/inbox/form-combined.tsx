// A combined form: several in one. One within another is set off by a line.

import { type ReactNode, useId } from "react";
import { say } from "@/messages";
import { Description, describedBy, LabelText, Misfit } from "./form-label";

type Props = {
  required: boolean;
  label: ReactNode;
  description?: string | null | undefined;
  misfit: string | undefined;
  /** Whether it is the whole form, which needs no frame of its own. */
  whole: boolean;
  children: ReactNode;
};

export function CombinedField({ required, label, description, misfit, whole, children }: Props) {
  const id = useId();
  const about = `${id}-about`;
  const wrong = `${id}-wrong`;
  if (whole) {
    return (
      <div className="space-y-5">
        {children}
        <Misfit id={wrong} text={misfit} />
      </div>
    );
  }
  return (
    <fieldset aria-describedby={describedBy({ [about]: description, [wrong]: misfit })}>
      <legend className="text-sm font-semibold">
        <LabelText label={label} required {...(!required && { aside: say.form.optionalWhole })} />
      </legend>
      <Description id={about} text={description} />
      <Misfit id={wrong} text={misfit} />
      <div className="mt-3 space-y-5 border-l-2 border-line pl-4">{children}</div>
    </fieldset>
  );
}
