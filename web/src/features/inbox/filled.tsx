// What somebody filled into a form, part by part, with the words that they were asked in.

import type { ReactNode } from "react";
import type { Form } from "@/api/client";
import { say } from "@/messages";
import { Seen } from "@/ui/seen";

/** As the server sends it; a part's own parts are not in its types. */
type Filling = {
  text?: string | null;
  selected_values?: string[] | null;
  confirmed?: boolean | null;
  responses?: Record<string, unknown>[] | null;
};

export function Filled({ form, reply }: { form: Form; reply: Filling }): ReactNode {
  if (form.type === "combined" && (reply.responses?.length ?? 0) > 0) {
    return (
      <dl className="space-y-1.5">
        {form.interactions?.map((field) => {
          const part = reply.responses?.find(({ request_id }) => request_id === field.id) as Filling | undefined;
          return (
            <div key={field.id}>
              <dt className="text-xs text-soft wrap-anywhere">
                <Seen text={field.title} />
              </dt>
              <dd className={field.type === "combined" ? "mt-1 border-l-2 border-line pl-3" : ""}>
                <Filled form={field} reply={part ?? {}} />
              </dd>
            </div>
          );
        })}
      </dl>
    );
  }
  const text = words(form, reply);
  return (
    <p className="whitespace-pre-wrap wrap-anywhere">
      {text === "" ? <span className="text-soft">{say.form.empty}</span> : <Seen text={text} />}
    </p>
  );
}

function words(form: Form, { text, selected_values, confirmed }: Filling): string {
  if (form.type === "select") {
    const labels = (selected_values ?? []).map(
      (value) => form.options?.find((each) => each.value === value)?.label ?? value,
    );
    return labels.join(", ");
  }
  if (form.type !== "confirm") return text ?? "";
  if (confirmed == null) return "";
  return confirmed ? (form.confirm_text ?? say.form.yes) : (form.cancel_text ?? say.form.no);
}
