// Of whom an approval is asked, and of how many: the same fields wherever an effect asks.

import type { ReactNode } from "react";
import { say } from "@/messages";
import { Field } from "@/ui/field";

/** What a field is given to be written into. */
export type Writable = { value: string; onChange: (event: { target: { value: string } }) => void };

type Props = { approvals: Writable; approvers: Writable; wrong?: string | undefined; children?: ReactNode };

export function AskedFields({ approvals, approvers, wrong, children }: Props) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label={say.policy.approvalsLabel} optional wrong={wrong} className="flex flex-col justify-end">
        {(given) => <input {...given} {...approvals} inputMode="numeric" placeholder="1" />}
      </Field>
      <Field label={say.policy.approversLabel} about={say.policy.approversText} optional>
        {(given) => <input {...given} {...approvers} />}
      </Field>
      {children}
    </div>
  );
}
