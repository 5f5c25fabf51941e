// A field to write to the agent of a run that has not ended.

import { type FormEvent, type KeyboardEvent, useId, useState } from "react";
import type { Run } from "@/api/client";
import { mayAnswer, useMe } from "@/api/me";
import { useWrite } from "@/api/reach";
import { say } from "@/messages";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Failure } from "@/ui/notice";
import { Say } from "@/ui/say";
import { Name } from "@/ui/seen";

export function WriteToAgent({ run }: { run: Run }) {
  const me = useMe().data;
  const write = useWrite(run.id);
  const [text, setText] = useState("");
  const id = useId();
  if (!mayAnswer(me)) return null;
  const send = () => {
    if (text.trim() === "" || write.isPending) return;
    write.mutate(text, { onSuccess: () => setText("") });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send();
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send();
  };
  return (
    <Card className="p-4 sm:p-6">
      <form onSubmit={submit} className="space-y-3">
        {write.error && <Failure title={say.run.writeFailed} error={write.error} />}
        <div>
          <label htmlFor={id} className="text-sm font-semibold">
            <Say text={say.run.write} values={{ agent: <Name text={run.agent} /> }} />
          </label>
          <p id={`${id}-about`} className="text-xs text-soft">
            {say.run.writeText}
          </p>
          <textarea
            id={id}
            rows={2}
            aria-describedby={`${id}-about`}
            value={text}
            placeholder={say.run.writePlaceholder}
            onKeyDown={onKey}
            onChange={(event) => setText(event.target.value)}
            className="mt-1.5 block w-full resize-y rounded-lg border border-line-strong bg-code px-3 py-2 text-base placeholder:text-soft sm:text-sm"
          />
        </div>
        <div className="flex items-center gap-3">
          <Button type="submit" disabled={write.isPending} aria-busy={write.isPending}>
            {write.isPending ? say.run.writing : say.run.writeButton}
          </Button>
          <span role="status" className="text-sm text-soft">
            {write.isSuccess && text === "" ? say.run.written : ""}
          </span>
        </div>
      </form>
    </Card>
  );
}
