// Which calls to show.

import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useId, useRef, useState } from "react";
import { say } from "@/messages";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Field } from "@/ui/field";
import { toField, toServer } from "@/ui/local-time";
import { type Filter, filterOf, isEmpty, STATUSES } from "./filter";

export function Filters({ filter, aside }: { filter: Filter; aside: ReactNode }) {
  const navigate = useNavigate();
  const form = useRef<HTMLFormElement>(null);
  const [unclear, setUnclear] = useState<string[]>([]);
  // On a phone the fields would hide what they filter.
  const [unfolded, setUnfolded] = useState(!isEmpty(filter));
  const fields = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (form.current === null) return;
    const given = new FormData(form.current);
    // A date that was half typed reads as empty: it must not pass for none.
    const dates = [...form.current.querySelectorAll<HTMLInputElement>("input[type=datetime-local]")];
    const wrong = dates.filter(({ validity }) => validity?.badInput).map(({ name }) => name);
    setUnclear(wrong);
    if (wrong.length > 0) return;
    const since = toServer(String(given.get("since") ?? ""));
    const until = toServer(String(given.get("until") ?? ""));
    navigate({ to: "/audit", search: filterOf({ ...Object.fromEntries(given), since, until }) });
  };
  const date = (name: "since" | "until") => (
    <Field label={say.audit[name]} wrong={unclear.includes(name) ? say.audit.dateUnclear : undefined}>
      {(given) => <input {...given} type="datetime-local" name={name} defaultValue={toField(filter[name] ?? "")} />}
    </Field>
  );
  return (
    <Card className="p-4 sm:p-5">
      <form ref={form} onSubmit={submit} aria-label={say.audit.filters} noValidate className="space-y-4">
        <Button
          className="w-full sm:hidden"
          aria-expanded={unfolded}
          aria-controls={fields}
          onClick={() => setUnfolded(!unfolded)}
        >
          {say.audit.filters}
        </Button>
        <div
          id={fields}
          className={`grid gap-x-4 gap-y-3 sm:grid-cols-2 lg:grid-cols-3 ${unfolded ? "" : "max-sm:hidden"}`}
        >
          <Field label={say.audit.tool}>
            {(given) => (
              <input
                {...given}
                data-filter
                name="tool"
                defaultValue={filter.tool}
                placeholder={say.audit.toolPlaceholder}
                spellCheck={false}
                autoComplete="off"
              />
            )}
          </Field>
          <Field label={say.audit.agent}>
            {(given) => <input {...given} name="agent" defaultValue={filter.agent} spellCheck={false} />}
          </Field>
          <Field label={say.audit.user}>
            {(given) => (
              <input {...given} name="user_id" defaultValue={filter.user_id} spellCheck={false} autoComplete="off" />
            )}
          </Field>
          <Field label={say.audit.status}>
            {(given) => (
              <select {...given} name="status" defaultValue={filter.status ?? ""}>
                <option value="">{say.audit.anyStatus}</option>
                {STATUSES.map((status) => (
                  <option key={status} value={status}>
                    {say.audit.statuses[status]}
                  </option>
                ))}
              </select>
            )}
          </Field>
          {date("since")}
          {date("until")}
        </div>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <Button type="submit" look="go" className={unfolded ? "" : "max-sm:hidden"}>
            {say.audit.apply}
          </Button>
          {!isEmpty(filter) && (
            <Button look="quiet" onClick={() => navigate({ to: "/audit", search: {} })}>
              {say.audit.clear}
            </Button>
          )}
          <div className="sm:ml-auto">{aside}</div>
        </div>
      </form>
    </Card>
  );
}
