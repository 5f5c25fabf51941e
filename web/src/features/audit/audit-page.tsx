// Every call and every decision: which ones, whether the record of them is whole, and the calls themselves.

import { useSearch } from "@tanstack/react-router";
import { isOperator, useMe } from "@/api/me";
import { say } from "@/messages";
import { CallList } from "./call-list";
import { ExportLinks } from "./export-links";
import { Filters } from "./filters";
import { VerifyCard } from "./verify-card";

export function AuditPage() {
  const filter = useSearch({ from: "/audit" });
  const operator = isOperator(useMe().data);
  return (
    <div className="mx-auto w-full max-w-5xl space-y-5 px-4 py-6 lg:px-6">
      <header className="px-1">
        <h1 className="text-lg font-semibold tracking-tight">{say.audit.title}</h1>
        <p className="text-sm text-soft">{say.audit.text}</p>
      </header>
      {operator && <VerifyCard />}
      {/* Another filter in the address is another form. */}
      <Filters key={JSON.stringify(filter)} filter={filter} aside={operator && <ExportLinks filter={filter} />} />
      <CallList filter={filter} />
    </div>
  );
}
