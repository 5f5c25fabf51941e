// A run that has not ended, in a list: what it was asked, how it stands, and the way to stop it.

import { Link } from "@tanstack/react-router";
import type { Run } from "@/api/client";
import { Seen } from "@/ui/seen";
import { Ago } from "@/ui/time";
import { StatusBadge } from "./status-badge";
import { StopRun } from "./stop-run";

export function WorkingRun({ run }: { run: Run }) {
  return (
    <div className="space-y-3 sm:flex sm:flex-wrap sm:items-center sm:justify-between sm:gap-x-4 sm:space-y-0">
      <div className="min-w-0 flex-1 basis-72">
        <Link
          to="/runs/$id"
          params={{ id: run.id }}
          className="line-clamp-2 text-[0.9375rem] font-medium text-accent underline decoration-1 underline-offset-4 wrap-anywhere"
        >
          <Seen text={run.input} />
        </Link>
        <p className="mt-1.5 flex items-center gap-3 text-xs text-soft">
          <StatusBadge status={run.status} />
          <Ago at={run.created_at} />
        </p>
      </div>
      <StopRun run={run} />
    </div>
  );
}
