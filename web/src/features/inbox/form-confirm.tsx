// A confirm: yes or no, in the words of whoever asks. Choices and no buttons, for their words are not ours: what sends is
// always a button of the page itself.

import { useId } from "react";
import { say } from "@/messages";
import { Choice, Choices } from "@/ui/choice";
import { Seen } from "@/ui/seen";
import { Description, describedBy, type FieldProps, LabelText, Misfit } from "./form-label";

export function ConfirmField(props: FieldProps<boolean | undefined>) {
  const { form, required, label, description, misfit, value, onChange } = props;
  const id = useId();
  const about = `${id}-about`;
  const wrong = `${id}-wrong`;
  return (
    <Choices
      kind="one"
      legend={<LabelText label={label} required={required} />}
      required={required}
      invalid={misfit !== undefined}
      describedBy={describedBy({ [about]: description, [wrong]: misfit })}
      before={<Description id={about} text={description} />}
      after={<Misfit id={wrong} text={misfit} />}
      {...(!required && value !== undefined && { onClear: () => onChange(undefined) })}
    >
      <Choice
        kind="one"
        name={id}
        chosen={value === true}
        onChoose={() => onChange(true)}
        label={<Seen text={form.confirm_text ?? say.form.yes} />}
      />
      <Choice
        kind="one"
        name={id}
        chosen={value === false}
        onChoose={() => onChange(false)}
        label={<Seen text={form.cancel_text ?? say.form.no} />}
      />
    </Choices>
  );
}
