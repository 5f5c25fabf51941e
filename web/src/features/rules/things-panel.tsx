// The capabilities, overrides or roles of the policy; for an operator, the way to change them.

import { useState } from "react";
import { isOperator, useMe } from "@/api/me";
import { fill, many, say } from "@/messages";
import { Badge, type Tone } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Failure, Loading } from "@/ui/notice";
import { Say } from "@/ui/say";
import { Name, Seen } from "@/ui/seen";
import { Ago } from "@/ui/time";
import { ChangeButtons } from "./change-buttons";
import { RemoveThing } from "./remove-thing";
import { typedThing, wishOf } from "./thing-draft";
import { ThingForm } from "./thing-form";
import { type Kind, type Thing, useThings } from "./things";

export function ThingsPanel({ kind }: { kind: Kind }) {
  const operator = isOperator(useMe().data);
  const { data, error, refetch } = useThings(kind);
  const [creates, setCreates] = useState(false);
  const words = say.things[kind];
  return (
    <Card className="p-4 sm:p-6">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0 flex-1 basis-60">
          <h2 className="text-lg font-semibold tracking-tight">{words.title}</h2>
          <p className="max-w-prose text-sm text-soft">{words.text}</p>
        </div>
        {operator && data !== undefined && !creates && <Button onClick={() => setCreates(true)}>{words.create}</Button>}
      </div>
      {creates && data !== undefined && (
        <div className="mt-4">
          <ThingForm kind={kind} version={data.version} onDone={() => setCreates(false)} />
        </div>
      )}
      <div className="mt-4">
        {data === undefined &&
          (error === null ? (
            <Loading rows={1} />
          ) : (
            <Failure title={say.things.failed} error={error} onRetry={refetch} />
          ))}
        {data?.things.length === 0 && <p className="text-sm text-soft">{words.none}</p>}
        {data !== undefined && data.things.length > 0 && (
          <ul aria-label={words.title} className="divide-y divide-line rounded-lg border border-line">
            {data.things.map((thing) => (
              <li
                key={`${thing.of.source} ${thing.name} ${thing.user ?? ""}`}
                data-thing={`${kind} ${thing.name}`}
                data-source={thing.of.source}
                className="px-3.5 py-3"
              >
                <Row thing={thing} version={data.version} changeable={operator && thing.of.source === "api"} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </Card>
  );
}

function Row({ thing, version, changeable }: { thing: Thing; version: string | undefined; changeable: boolean }) {
  const [open, setOpen] = useState<"edit" | "remove">();
  const done = () => setOpen(undefined);
  const { changed } = thing.of;
  return (
    <>
      <div className="flex flex-wrap items-start gap-3">
        <div className="min-w-0 flex-1 basis-60">
          <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
            <span className="exact text-sm font-semibold">
              <Seen text={thing.name} strictness="exact" />
            </span>
            <Says thing={thing} />
          </p>
          <p className="mt-1 flex flex-wrap gap-x-3 text-xs text-soft">
            {thing.kind === "override" && (
              <span>{fill(say.scope.user, { user: thing.user ?? say.things.everybody })}</span>
            )}
            <span>
              {changed == null ? (
                say.policy.fromFile
              ) : (
                <Say
                  text={say.policy.madeBy}
                  values={{ who: <Name text={changed.by} />, when: <Ago at={changed.at} /> }}
                />
              )}
            </span>
          </p>
          {[thing.kind === "role" ? thing.of.description : null, changed?.reason].map((text) =>
            text == null ? null : (
              <p key={text} className="mt-1 text-sm whitespace-pre-wrap wrap-anywhere">
                <Seen text={text} />
              </p>
            ),
          )}
        </div>
        {changeable && open === undefined && <ChangeButtons name={thing.name} onOpen={setOpen} />}
      </div>
      {open === "edit" && (
        <div className="mt-3">
          <ThingForm kind={thing.kind} thing={typedThing(thing)} version={version} onDone={done} />
        </div>
      )}
      {open === "remove" && (
        <RemoveThing
          wish={{ ...wishOf(thing.kind, typedThing(thing), ""), kind: "remove" }}
          version={version}
          onDone={done}
        />
      )}
    </>
  );
}

const TONES: Record<string, Tone> = { allow: "calm", deny: "stop" };

function Says({ thing }: { thing: Thing }) {
  switch (thing.kind) {
    case "capability": {
      const { effect, approvals, approvers } = thing.of;
      return (
        <>
          <Badge tone={TONES[effect] ?? "warn"}>{say.policy.effects[effect]}</Badge>
          <span className="text-xs text-soft">
            {approvals != null && approvals > 1 && many(say.policy.approvals, approvals)}{" "}
            {approvers.length > 0 && fill(say.policy.approvers, { groups: approvers.join(", ") })}
          </span>
        </>
      );
    }
    case "override": {
      const { execution, result } = thing.of;
      return (
        <>
          {execution != null && <Badge tone="neutral">{say.things.executions[execution]}</Badge>}
          {result != null && <Badge tone="info">{say.things.results[result]}</Badge>}
        </>
      );
    }
    case "role": {
      const { allowed_tools, denied_tools } = thing.of;
      const only = allowed_tools?.length === 0 ? say.things.noTools : toolsIn(say.things.onlyTools, allowed_tools);
      return (
        <span className="text-xs text-soft wrap-anywhere">
          {[only, toolsIn(say.things.notTools, denied_tools)].filter((text) => text !== "").join("; ")}
        </span>
      );
    }
  }
}

function toolsIn(text: string, tools: string[] | null | undefined): string {
  return tools == null || tools.length === 0 ? "" : fill(text, { tools: tools.join(", ") });
}
