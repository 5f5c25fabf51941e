// One call in a line, which opens to all that is known of it.

import { useId, useState } from "react";
import type { AuditedCall } from "@/api/client";
import { Chevron } from "@/ui/card";
import { Name, Seen } from "@/ui/seen";
import { Ago } from "@/ui/time";
import { CallDetail } from "./call-detail";
import { StatusBadge } from "./status-badge";
import { briefly } from "./told";

export function CallRow({ call }: { call: AuditedCall }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <li data-call={call.tool_call_id} data-status={call.status}>
      <button
        type="button"
        data-row
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
        className="grid w-full grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 px-4 py-3 text-left -outline-offset-2 hover:bg-sunk sm:grid-cols-[minmax(0,1fr)_10rem_8rem_6rem] sm:px-5"
      >
        <span className="flex min-w-0 items-center gap-2.5">
          <Turned open={open} />
          <span className="min-w-0">
            <span className="block truncate text-sm font-semibold">
              <Name text={call.tool_name} />
            </span>
            <span className="block truncate font-mono text-[0.8125rem] text-soft" dir="ltr">
              <Seen text={briefly(call).slice(0, 200)} strictness="exact" />
            </span>
          </span>
        </span>
        <span className="justify-self-end sm:order-3 sm:justify-self-start">
          <StatusBadge status={call.status} />
        </span>
        <span className="truncate pl-5.5 text-sm text-soft sm:order-2 sm:pl-0">
          <Name text={call.agent} />
          {call.user_id != null && (
            <>
              {" · "}
              <Name text={call.user_id} />
            </>
          )}
        </span>
        <span className="justify-self-end text-xs whitespace-nowrap text-soft sm:order-4">
          <Ago at={call.proposed_at} />
        </span>
      </button>
      {open && (
        <div id={id} className="border-t border-line bg-paper/60 px-4 py-5 sm:px-5">
          <CallDetail call={call} />
        </div>
      )}
    </li>
  );
}

function Turned({ open }: { open: boolean }) {
  return (
    <span className={`text-soft transition-transform ${open ? "rotate-90" : ""}`}>
      <Chevron />
    </span>
  );
}
