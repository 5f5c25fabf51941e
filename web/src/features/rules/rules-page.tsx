// What the policy would say to a call and why, its rules, what users have granted, and what was changed.

import { isOperator, useMe } from "@/api/me";
import { say } from "@/messages";
import { Grants } from "./grants-panel";
import { HistoryPanel } from "./history-panel";
import { RulesPanel } from "./rules-panel";
import { KINDS } from "./things";
import { ThingsPanel } from "./things-panel";
import { WhySimulator } from "./why-simulator";

export function RulesPage() {
  const me = useMe().data;
  return (
    <div className="mx-auto w-full max-w-5xl space-y-6 px-4 py-6 lg:px-6">
      <header className="px-1">
        <h1 className="text-lg font-semibold tracking-tight">{say.rules.title}</h1>
        <p className="text-sm text-soft">{say.rules.elsewhere}</p>
      </header>
      <WhySimulator />
      <RulesPanel />
      {KINDS.map((kind) => (
        <ThingsPanel key={kind} kind={kind} />
      ))}
      <Grants />
      {isOperator(me) && <HistoryPanel />}
    </div>
  );
}
