// Stops a run, after a second look.

import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import type { Run } from "@/api/client";
import { mayAnswer, useMe } from "@/api/me";
import { useCancel } from "@/api/reach";
import { say } from "@/messages";
import { Button } from "@/ui/button";
import { Failure } from "@/ui/notice";

export function StopRun({ run }: { run: Run }) {
  const me = useMe().data;
  const [asking, setAsking] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  if (!mayAnswer(me)) return null;
  const back = () => {
    setAsking(false);
    requestAnimationFrame(() => button.current?.focus());
  };
  if (asking) return <Confirm run={run} onBack={back} />;
  return (
    <Button ref={button} look="stop" onClick={() => setAsking(true)}>
      {say.run.stop}…
    </Button>
  );
}

function Confirm({ run, onBack }: { run: Run; onBack: () => void }) {
  const stop = useCancel(run.id);
  const [reason, setReason] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  useEffect(() => field.current?.focus(), []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!stop.isPending) stop.mutate(reason);
  };
  return (
    <form
      onSubmit={submit}
      onKeyDown={(event) => event.key === "Escape" && onBack()}
      className="space-y-3 rounded-lg border border-stop-line p-4"
    >
      {stop.error && <Failure title={say.run.stopFailed} error={stop.error} />}
      <p className="text-sm">{say.run.stopText}</p>
      <div>
        <label htmlFor={id} className="text-sm font-semibold">
          {say.run.stopReason}
        </label>
        <p id={`${id}-about`} className="text-xs text-soft">
          {say.run.stopReasonText}
        </p>
        <input
          ref={field}
          id={id}
          type="text"
          maxLength={2500}
          aria-describedby={`${id}-about`}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          className="mt-1.5 block min-h-11 w-full rounded-lg border border-line-strong bg-code px-3 py-2 text-base sm:text-sm"
        />
      </div>
      <div className="flex flex-wrap gap-3">
        <Button type="submit" look="stop" disabled={stop.isPending} aria-busy={stop.isPending}>
          {stop.isPending ? say.run.stopping : say.run.stop}
        </Button>
        <Button look="quiet" disabled={stop.isPending} onClick={onBack}>
          {say.run.keepRunning}
        </Button>
      </div>
    </form>
  );
}
