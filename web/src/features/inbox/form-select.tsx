// A select: one of several, or some of them.

import { useId } from "react";
import { say } from "@/messages";
import { Choice, Choices } from "@/ui/choice";
import { Seen } from "@/ui/seen";
import { Description, describedBy, type FieldProps, LabelText, Misfit } from "./form-label";

/** From so many on they get a box of their own to scroll in. */
const MANY = 8;

export function SelectField({ form, required, label, description, misfit, value, onChange }: FieldProps<string[]>) {
  const id = useId();
  const about = `${id}-about`;
  const wrong = `${id}-wrong`;
  const multiple = form.multiple === true;
  const options = form.options ?? [];
  const choose = (chosen: string) => {
    if (!multiple) return onChange([chosen]);
    // In the order in which they are offered, whatever the order of the clicks.
    const all = options.map((option) => option.value);
    onChange(all.filter((each) => value.includes(each) !== (each === chosen)));
  };
  return (
    <Choices
      kind={multiple ? "several" : "one"}
      legend={<LabelText label={label} required={required} {...(multiple && { aside: say.form.several })} />}
      required={required}
      invalid={misfit !== undefined}
      describedBy={describedBy({ [about]: description, [wrong]: misfit })}
      before={<Description id={about} text={description} />}
      after={<Misfit id={wrong} text={misfit} />}
      long={options.length > MANY}
      {...(!required && !multiple && value.length > 0 && { onClear: () => onChange(undefined) })}
    >
      {options.map((option) => (
        <Choice
          key={option.value}
          kind={multiple ? "several" : "one"}
          name={id}
          chosen={value.includes(option.value)}
          onChoose={() => choose(option.value)}
          label={<Seen text={option.label} />}
        >
          {option.description != null && <Seen text={option.description} />}
        </Choice>
      ))}
    </Choices>
  );
}
