// Where one writes: to the agent while it is at work, else the next thing it is asked. Enter sends, with Shift it breaks
// the line; not while a word is still being composed.

import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type KeyboardEvent, useId, useState } from "react";
import type { Run } from "@/api/client";
import { hasEnded, useWrite } from "@/api/reach";
import { useStart } from "@/api/start";
import { fill, say } from "@/messages";
import { Button } from "@/ui/button";
import { fieldLook } from "@/ui/field";
import { Failure } from "@/ui/notice";

/** Goes on with the conversation whose newest run is `run`. */
export function Composer({ session, run }: { session: string; run: Run }) {
  const start = useStart();
  const write = useWrite(run.id);
  const queries = useQueryClient();
  const working = !hasEnded(run);
  const send = (text: string, sent: () => void) => {
    if (working) return write.mutate(text, { onSuccess: sent });
    const onSuccess = () => {
      sent();
      queries.invalidateQueries({ queryKey: ["runs", "session", session] });
      queries.invalidateQueries({ queryKey: ["sessions", "list"] });
    };
    start.mutate({ agent: run.agent, input: text, session_id: session }, { onSuccess });
  };
  return (
    <WordsToSend
      label={fill(say.chat.write, { agent: run.agent })}
      about={working ? say.run.writeText : undefined}
      busy={start.isPending || write.isPending}
      error={start.error ?? write.error}
      onSend={send}
    />
  );
}

type Props = {
  label: string;
  about?: string | undefined;
  busy: boolean;
  error: unknown;
  rows?: number;
  onSend: (text: string, sent: () => void) => void;
};

export function WordsToSend({ label, about, busy, error, rows = 2, onSend }: Props) {
  const [text, setText] = useState("");
  const id = useId();
  const send = () => {
    if (text.trim() !== "" && !busy) onSend(text, () => setText(""));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form onSubmit={submit} className="space-y-2">
      {error != null && <Failure title={say.run.writeFailed} error={error} />}
      <label htmlFor={id} className="text-sm font-semibold">
        {label}
      </label>
      {about !== undefined && (
        <p id={`${id}-about`} className="text-xs text-soft">
          {about}
        </p>
      )}
      <div className="flex items-end gap-3">
        <textarea
          id={id}
          rows={rows}
          value={text}
          aria-describedby={about === undefined ? undefined : `${id}-about`}
          placeholder={say.chat.placeholder}
          onKeyDown={onKey}
          onChange={(event) => setText(event.target.value)}
          className={`${fieldLook} resize-y`}
        />
        <Button type="submit" look="go" disabled={busy} aria-busy={busy}>
          {busy ? say.run.writing : say.run.writeButton}
        </Button>
      </div>
    </form>
  );
}
