// Approve, and have the call allowed from now on: which pattern, exactly as it will match, and until when.

import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { now } from "@/api/clock";
import { isOperator, useMe } from "@/api/me";
import { say } from "@/messages";
import { Button } from "@/ui/button";
import { Choice, Choices } from "@/ui/choice";
import { Code } from "@/ui/code";
import { Say } from "@/ui/say";
import { Name, Seen } from "@/ui/seen";
import { fieldLook } from "./form-label";
import { onEscape, type WayProps } from "./way";

export function RememberForm({ interaction, answering, onBack }: WayProps & { onBack: () => void }) {
  const options = interaction.remember_options;
  const [pattern, setPattern] = useState(options[0]?.pattern ?? "");
  const [scope, setScope] = useState<"user" | "everyone">("user");
  const mayForAll = isOperator(useMe().data);
  const user = interaction.asked_by.user_id ?? say.call.nobody;
  const [until, setUntil] = useState("");
  const [tried, setTried] = useState(false);
  const title = useRef<HTMLHeadingElement>(null);
  const date = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => title.current?.focus(), []);
  // A date that was half typed reads as empty: it must not pass for none.
  const misfit = (date.current?.validity.badInput ?? false) ? say.answer.untilUnclear : wrongEnd(until);
  const shown = tried ? misfit : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (misfit !== undefined) date.current?.focus();
    else if (answering.settled && !answering.busy) {
      const expires_at = endOf(until);
      answering.decide({
        decision: "approve",
        remember: { pattern, scope, ...(expires_at && { expires_at }) },
      });
    }
  };
  return (
    <form data-long noValidate onSubmit={submit} onKeyDown={(event) => onEscape(event, onBack)} className="space-y-4">
      <div>
        <h3 ref={title} tabIndex={-1} className="font-semibold">
          {say.answer.rememberTitle}
        </h3>
        <p className="mt-0.5 text-sm">
          <Say
            text={say.answer.rememberText}
            values={{ user: <Name text={scope === "user" ? user : say.things.everybody} /> }}
          />
        </p>
      </div>
      {options.length > 1 && (
        <Choices kind="one" legend={say.answer.pattern}>
          {options.map((option) => (
            <Choice
              key={option.pattern}
              kind="one"
              name={id}
              chosen={option.pattern === pattern}
              onChoose={() => setPattern(option.pattern)}
              label={<Seen text={option.label} />}
            />
          ))}
        </Choices>
      )}
      {mayForAll && (
        <Choices kind="one" legend={say.scope.legend}>
          {(["user", "everyone"] as const).map((each) => (
            <Choice
              key={each}
              kind="one"
              name={`${id}-scope`}
              chosen={scope === each}
              onChoose={() => setScope(each)}
              label={<Say text={say.scope[each]} values={{ user: <Name text={user} /> }} />}
            />
          ))}
        </Choices>
      )}
      <Code text={pattern} label={say.answer.pattern} />
      <div>
        <label htmlFor={id} className="text-sm font-semibold">
          {say.answer.until}
        </label>
        <p id={`${id}-about`} className="text-xs text-soft">
          {say.answer.untilText}
        </p>
        <input
          ref={date}
          id={id}
          type="datetime-local"
          value={until}
          aria-describedby={shown === undefined ? `${id}-about` : `${id}-about ${id}-wrong`}
          aria-invalid={shown !== undefined}
          onChange={(event) => setUntil(event.target.value)}
          className={`${fieldLook} min-h-11 sm:w-64`}
        />
        {shown !== undefined && (
          <p id={`${id}-wrong`} className="mt-1.5 text-sm font-medium text-stop">
            {shown}
          </p>
        )}
      </div>
      <div className="flex flex-wrap gap-3">
        <Button
          type="submit"
          look="go"
          className="flex-1 sm:flex-none"
          disabled={answering.busy}
          aria-busy={answering.busy}
        >
          {answering.busy ? say.answer.approving : say.answer.remember}
        </Button>
        <Button look="quiet" disabled={answering.busy} onClick={onBack}>
          {say.answer.keep}
        </Button>
      </div>
    </form>
  );
}

/** The end in the server's words; the field speaks of the reader's own time. */
function endOf(until: string): string | undefined {
  const time = Date.parse(until);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

function wrongEnd(until: string): string | undefined {
  if (until === "") return undefined;
  const time = Date.parse(until);
  if (Number.isNaN(time)) return say.answer.untilUnclear;
  return time <= now() ? say.answer.untilPast : undefined;
}
