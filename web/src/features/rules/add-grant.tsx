// Gives a grant. Whether its pattern is one, the server says.

import { type FormEvent, useId, useRef, useState } from "react";
import { now } from "@/api/clock";
import { say } from "@/messages";
import { Button } from "@/ui/button";
import { Choice, Choices } from "@/ui/choice";
import { Field } from "@/ui/field";
import { toServer } from "@/ui/local-time";
import { Failure } from "@/ui/notice";
import { type Side, useChange } from "./grants";

const SIDES: Side[] = ["allow", "deny"];

export function AddGrant({ user }: { user: string }) {
  const give = useChange(user);
  const [side, setSide] = useState<Side>("allow");
  const [pattern, setPattern] = useState("");
  const [until, setUntil] = useState("");
  const [reason, setReason] = useState("");
  const [tried, setTried] = useState(false);
  const end = useRef<HTMLInputElement>(null);
  const name = useId();
  // A date that was half typed reads as empty: it must not pass for none.
  const wrongEnd = (end.current?.validity?.badInput ?? false) ? say.answer.untilUnclear : pastEnd(until);
  const wrongPattern = pattern.trim() === "" ? say.rules.patternNeeded : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (wrongPattern !== undefined || wrongEnd !== undefined || give.isPending) return;
    const expires_at = toServer(until);
    give.mutate(
      {
        kind: "give",
        side,
        resource: pattern.trim(),
        ...(expires_at && { expires_at }),
        ...(reason.trim() && { reason: reason.trim() }),
      },
      {
        onSuccess: () => {
          setPattern("");
          setUntil("");
          setReason("");
          setTried(false);
        },
      },
    );
  };
  return (
    <form onSubmit={submit} noValidate aria-label={say.rules.add} className="mt-6 space-y-4 border-t border-line pt-5">
      <h3 className="text-sm font-semibold">{say.rules.add}</h3>
      {give.error !== null && <Failure title={say.rules.addFailed} error={give.error} />}
      <Choices kind="one" legend={say.rules.side}>
        {SIDES.map((each) => (
          <Choice
            key={each}
            kind="one"
            name={name}
            chosen={side === each}
            onChoose={() => setSide(each)}
            label={say.rules[each]}
          />
        ))}
      </Choices>
      <Field label={say.rules.pattern} about={say.rules.patternText} wrong={tried ? wrongPattern : undefined}>
        {(given) => (
          <input
            {...given}
            value={pattern}
            spellCheck={false}
            autoComplete="off"
            className={`${given.className} font-mono`}
            onChange={(event) => setPattern(event.target.value)}
          />
        )}
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={say.rules.until} optional wrong={tried ? wrongEnd : undefined}>
          {(given) => (
            <input
              {...given}
              ref={end}
              type="datetime-local"
              title={say.rules.untilText}
              value={until}
              onChange={(event) => setUntil(event.target.value)}
            />
          )}
        </Field>
        <Field label={say.rules.reason} optional>
          {(given) => (
            <input {...given} maxLength={2500} value={reason} onChange={(event) => setReason(event.target.value)} />
          )}
        </Field>
      </div>
      <div className="flex items-center gap-3">
        <Button type="submit" look="go" disabled={give.isPending} aria-busy={give.isPending}>
          {give.isPending ? say.rules.adding : say.rules.addButton}
        </Button>
        <span role="status" className="text-sm text-soft">
          {give.isSuccess && pattern === "" ? say.rules.added : ""}
        </span>
      </div>
    </form>
  );
}

function pastEnd(until: string): string | undefined {
  if (until === "") return undefined;
  const time = Date.parse(until);
  if (Number.isNaN(time)) return say.answer.untilUnclear;
  return time <= now() ? say.answer.untilPast : undefined;
}
