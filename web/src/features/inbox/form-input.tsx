// An input: words of one's own, in one line or in several.

import { useId } from "react";
import { writtenOut } from "@/ui/hidden";
import { Description, describedBy, type FieldProps, fieldLook, LabelText, Misfit } from "./form-label";

export function InputField({ form, required, label, description, misfit, value, onChange }: FieldProps<string>) {
  const id = useId();
  const about = `${id}-about`;
  const wrong = `${id}-wrong`;
  const field = {
    id,
    value,
    placeholder: form.placeholder == null ? undefined : writtenOut(form.placeholder),
    "aria-required": required,
    "aria-invalid": misfit !== undefined,
    "aria-describedby": describedBy({ [about]: description, [wrong]: misfit }),
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  };
  return (
    <div>
      <label htmlFor={id} className="text-sm font-semibold">
        <LabelText label={label} required={required} />
      </label>
      <Description id={about} text={description} />
      {form.multiline ? (
        <textarea {...field} rows={4} className={`${fieldLook} resize-y`} />
      ) : (
        <input {...field} type="text" autoComplete="off" className={`${fieldLook} min-h-11`} />
      )}
      <Misfit id={wrong} text={misfit} />
    </div>
  );
}
