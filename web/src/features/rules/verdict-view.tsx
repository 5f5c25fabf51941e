// A verdict, and the ladder that led to it.

import type { ReactNode } from "react";
import type { Verdict } from "@/api/client";
import { say } from "@/messages";
import { Facts, Part } from "@/ui/card";
import { Copy } from "@/ui/code";
import { Ladder } from "@/ui/ladder";
import { Notice } from "@/ui/notice";
import { Say } from "@/ui/say";
import { Name, Sentence } from "@/ui/seen";

const TONES = { allow: "calm", ask: "warn", deny: "stop" } as const;

export function VerdictView({ verdict }: { verdict: Verdict }) {
  const titles: Record<string, string> = say.rules.verdicts;
  const tones: Record<string, "calm" | "warn" | "stop"> = TONES;
  return (
    <div data-verdict={verdict.verdict} data-digest={verdict.digest} className="space-y-5">
      <Notice
        tone={tones[verdict.verdict] ?? "warn"}
        title={titles[verdict.verdict] ?? <Name text={verdict.verdict} />}
      >
        <About verdict={verdict} />
      </Notice>
      <Part title={say.rules.ladder}>
        <p className="text-xs text-soft">{say.rules.ladderText}</p>
        <Ladder reasons={verdict.reasons} />
      </Part>
      <Facts facts={factsOf(verdict)} />
    </div>
  );
}

function About({ verdict }: { verdict: Verdict }) {
  const by: Record<string, string> = say.rules.by;
  const mode: Record<string, string> = say.rules.mode;
  if (verdict.refusal != null) {
    return (
      <p className="wrap-anywhere">
        <Say text={say.rules.told} values={{ refusal: <Sentence text={verdict.refusal} /> }} />
      </p>
    );
  }
  const texts = [by[verdict.by ?? ""], mode[verdict.mode ?? ""]].filter((text) => text !== undefined);
  return texts.length > 0 ? <p>{texts.join(" ")}</p> : null;
}

function factsOf(verdict: Verdict): [string, ReactNode][] {
  const risks: Record<string, string> = say.call.risk;
  const exact = (text: string) => (
    <code className="font-mono text-xs wrap-anywhere">
      <Name text={text} />
    </code>
  );
  return [
    [say.rules.resource, verdict.resource == null ? say.rules.nothing : exact(verdict.resource)],
    [say.rules.risk, risks[verdict.risk] ?? <Name key="risk" text={verdict.risk} />],
    [
      say.rules.capabilities,
      verdict.capabilities.length === 0 ? say.rules.none : <Name key="can" text={verdict.capabilities.join(", ")} />,
    ],
    [
      say.rules.digest,
      <span key="digest" className="inline-flex flex-wrap items-center gap-x-1">
        {exact(verdict.digest)}
        <Copy text={verdict.digest} />
      </span>,
    ],
    [say.rules.policy, exact(verdict.policy)],
  ];
}
