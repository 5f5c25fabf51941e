// One part of a form, whatever its kind.

import type { ReactNode } from "react";
import type { Form } from "@/api/client";
import { fill, say } from "@/messages";
import { Short } from "@/ui/passage";
import { type Misfits, type Place, placeOf, type Value, type Values } from "./form";
import { CombinedField } from "./form-combined";
import { ConfirmField } from "./form-confirm";
import { InputField } from "./form-input";
import { SelectField } from "./form-select";

/** What was filled in, what does not fit, and how to fill in more. */
export type Filling = {
  values: Values;
  misfits: Misfits;
  onFill: (place: Place, value: Value | undefined) => void;
};

type Props = {
  form: Form;
  required: boolean;
  path: string[];
  label: ReactNode;
  description?: string | null | undefined;
  filling: Filling;
};

export function FormField({ form, required, path, label, description, filling }: Props) {
  const place = placeOf(path);
  const { values, misfits, onFill } = filling;
  const value = values.get(place);
  const shared = { form, required, label, description, misfit: misfits.get(place) };
  const onChange = (next: Value | undefined) => onFill(place, next);
  switch (form.type) {
    case "input":
      return <InputField {...shared} value={typeof value === "string" ? value : ""} onChange={onChange} />;
    case "select":
      return <SelectField {...shared} value={Array.isArray(value) ? value : []} onChange={onChange} />;
    case "confirm":
      return <ConfirmField {...shared} value={typeof value === "boolean" ? value : undefined} onChange={onChange} />;
    case "combined":
      return (
        <CombinedField {...shared} whole={path.length === 0}>
          {form.interactions?.map((field) => (
            <FormField
              key={field.id}
              form={field}
              required={field.required}
              path={[...path, field.id]}
              label={<Short text={field.title} />}
              description={field.description}
              filling={filling}
            />
          ))}
        </CombinedField>
      );
    default:
      return <p className="text-sm text-warn">{fill(say.form.unknown, { type: form.type })}</p>;
  }
}
