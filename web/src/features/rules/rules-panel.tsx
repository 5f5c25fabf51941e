// The rules in the order in which they are looked at; for an operator, the way to change them.

import { useState } from "react";
import type { Rule } from "@/api/client";
import { isOperator, useMe } from "@/api/me";
import { fill, many, say } from "@/messages";
import { Badge, type Tone } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Failure, Loading, Notice } from "@/ui/notice";
import { Say } from "@/ui/say";
import { Name, Seen } from "@/ui/seen";
import { Ago } from "@/ui/time";
import { ChangeButtons } from "./change-buttons";
import { useRules } from "./policy";
import { useProposed } from "./proposed";
import { RemoveThing } from "./remove-thing";
import { typed } from "./rule-draft";
import { RuleForm } from "./rule-form";

export function RulesPanel() {
  const operator = isOperator(useMe().data);
  const { data, error, refetch } = useRules();
  const [creates, setCreates] = useState(false);
  const proposed = useProposed();
  return (
    <Card className="p-4 sm:p-6">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0 flex-1">
          <h2 className="text-lg font-semibold tracking-tight">{say.policy.title}</h2>
          <p className="max-w-prose text-sm text-soft">{say.policy.text}</p>
        </div>
        {operator && data !== undefined && !creates && (
          <Button onClick={() => setCreates(true)}>{say.policy.create}</Button>
        )}
      </div>
      {operator && proposed.rule === null && (
        <div className="mt-4">
          <Notice tone="warn" title={say.always.cannot} />
        </div>
      )}
      {operator && proposed.rule != null && data !== undefined && (
        <div className="mt-4 space-y-3">
          <Notice tone="neutral" title={say.always.prefilled} />
          <RuleForm draft={proposed.rule} version={data.version} onDone={proposed.done} />
        </div>
      )}
      {creates && data !== undefined && (
        <div className="mt-4">
          <RuleForm version={data.version} onDone={() => setCreates(false)} />
        </div>
      )}
      <div className="mt-4">
        {data === undefined &&
          (error === null ? (
            <Loading rows={2} />
          ) : (
            <Failure title={say.policy.failed} error={error} onRetry={refetch} />
          ))}
        {data?.rules.length === 0 && <p className="text-sm text-soft">{say.policy.none}</p>}
        {data !== undefined && data.rules.length > 0 && (
          <ol aria-label={say.policy.title} className="divide-y divide-line rounded-lg border border-line">
            {data.rules.map((rule) => (
              <li
                key={`${rule.source} ${rule.name}`}
                data-rule={rule.name}
                data-source={rule.source}
                className="px-3.5 py-3"
              >
                <Row rule={rule} version={data.version} changeable={operator && rule.source === "api"} />
              </li>
            ))}
          </ol>
        )}
        {data?.more && <p className="mt-2 text-sm text-soft">{say.policy.more}</p>}
      </div>
    </Card>
  );
}

const TONES: Record<string, Tone> = { allow: "calm", deny: "stop" };

type RowProps = { rule: Rule; version: string | undefined; changeable: boolean };

function Row({ rule, version, changeable }: RowProps) {
  const [open, setOpen] = useState<"edit" | "remove">();
  const done = () => setOpen(undefined);
  const pattern = rule.server == null ? rule.tool : `${rule.server}/${rule.tool}`;
  return (
    <>
      <div className="flex flex-wrap items-start gap-3">
        <div className="min-w-0 flex-1 basis-60">
          <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
            <span className="text-sm font-semibold wrap-anywhere">
              <Name text={rule.name} />
            </span>
            {rule.effect != null && (
              <Badge tone={TONES[rule.effect] ?? "warn"}>{say.policy.effects[rule.effect]}</Badge>
            )}
          </p>
          <p className="exact mt-1 text-sm">
            <Seen text={pattern} strictness="exact" />
          </p>
          {rule.when != null && (
            <p className="mt-0.5 text-xs text-soft">
              {say.policy.when}{" "}
              <code className="exact">
                <Seen text={rule.when} strictness="exact" />
              </code>
            </p>
          )}
          <About rule={rule} />
        </div>
        {changeable && open === undefined && <ChangeButtons name={rule.name} onOpen={setOpen} />}
      </div>
      {open === "edit" && (
        <div className="mt-3">
          <RuleForm rule={typed(rule)} version={version} onDone={done} />
        </div>
      )}
      {open === "remove" && (
        <RemoveThing wish={{ kind: "remove", name: rule.name, reason: "" }} version={version} onDone={done} />
      )}
    </>
  );
}

function About({ rule }: { rule: Rule }) {
  return (
    <>
      <p className="mt-1 flex flex-wrap gap-x-3 text-xs text-soft">
        <span>{fill(say.policy.priority, { priority: rule.priority })}</span>
        {rule.before != null && <span>{fill(say.policy.before, { name: rule.before })}</span>}
        {rule.approvals != null && rule.approvals > 1 && <span>{many(say.policy.approvals, rule.approvals)}</span>}
        {rule.approvers.length > 0 && <span>{fill(say.policy.approvers, { groups: rule.approvers.join(", ") })}</span>}
        {rule.remember === false && <span>{say.policy.notRemembered}</span>}
        <span>
          {rule.changed == null ? (
            say.policy.fromFile
          ) : (
            <Say
              text={say.policy.madeBy}
              values={{ who: <Name text={rule.changed.by} />, when: <Ago at={rule.changed.at} /> }}
            />
          )}
        </span>
      </p>
      {[rule.description, rule.changed?.reason].map((text) =>
        text == null ? null : (
          <p key={text} className="mt-1 text-sm whitespace-pre-wrap wrap-anywhere">
            <Seen text={text} />
          </p>
        ),
      )}
    </>
  );
}
