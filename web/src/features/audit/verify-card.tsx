// Whether the record is whole, for operators.

import type { AuditReport } from "@/api/client";
import { many, say } from "@/messages";
import { Badge } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Card, Fold } from "@/ui/card";
import { Code } from "@/ui/code";
import { Failure } from "@/ui/notice";
import { Sentence } from "@/ui/seen";
import { Ago } from "@/ui/time";
import { useReport } from "./verify";

export function VerifyCard() {
  const { data, error, isFetching, refetch, dataUpdatedAt } = useReport();
  return (
    <Card className="space-y-3 p-4 sm:p-5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-64">
          <h2 className="flex flex-wrap items-center gap-2 text-sm font-semibold">
            {say.audit.verify}
            <span role="status" data-verified={data?.whole}>
              <Found report={data} />
            </span>
          </h2>
          <p className="mt-0.5 text-sm text-soft">
            {data === undefined ? say.audit.verifyText : <Counts report={data} />}
          </p>
        </div>
        {data !== undefined && (
          <span className="text-xs text-soft">
            <Ago at={new Date(dataUpdatedAt).toISOString()} />
          </span>
        )}
        <Button disabled={isFetching} aria-busy={isFetching} onClick={() => refetch()}>
          {isFetching ? say.audit.verifying : say.audit.verifyNow}
        </Button>
      </div>
      {error !== null && <Failure title={say.audit.verifyFailed} error={error} />}
      {data !== undefined && <Rest report={data} />}
    </Card>
  );
}

function Found({ report }: { report: AuditReport | undefined }) {
  if (report === undefined) return <Badge tone="neutral">{say.audit.notVerified}</Badge>;
  return report.whole ? (
    <Badge tone="calm">✓ {say.audit.whole}</Badge>
  ) : (
    <Badge tone="loud">{many(say.audit.broken, report.wrong)}</Badge>
  );
}

function Counts({ report }: { report: AuditReport }) {
  const { entries, checkpoints, unsigned, waiting } = report;
  const parts = [
    many(say.audit.entries, entries),
    many(say.audit.checkpoints, checkpoints),
    unsigned === 0 ? say.audit.allSigned : many(say.audit.unsigned, unsigned),
    ...(waiting === 0 ? [] : [many(say.audit.waiting, waiting)]),
  ];
  return parts.join(" · ");
}

function Rest({ report }: { report: AuditReport }) {
  return (
    <>
      {report.findings.length > 0 && (
        <div className="rounded-lg border border-stop-line bg-stop-soft px-4 py-3 text-sm">
          <p className="font-semibold text-stop">{say.audit.findingsFirst}</p>
          <ul className="mt-1 list-disc space-y-1 pl-5 wrap-anywhere">
            {report.findings.map((finding) => (
              <li key={finding}>
                <Sentence text={finding} />
              </li>
            ))}
          </ul>
        </div>
      )}
      <Fold summary={`${say.audit.root}, ${say.audit.key}`}>
        <div className="space-y-3">
          <Code text={report.root} label={say.audit.root} />
          {report.key != null && <Code text={report.key} label={say.audit.key} />}
          <p className="text-xs text-soft">{say.audit.trust}</p>
        </div>
      </Fold>
    </>
  );
}
