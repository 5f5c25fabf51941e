// The latest calls, one of which may be asked about again.

import { useQuery } from "@tanstack/react-query";
import { checkedCall } from "@/api/audited";
import { type AuditedCall, type CheckedCall, get, read } from "@/api/client";
import { say } from "@/messages";
import { Fold } from "@/ui/card";
import { Failure } from "@/ui/notice";
import { Name, Seen } from "@/ui/seen";
import { Ago } from "@/ui/time";

const SHOWN = 20;

export function PastCalls({ onChoose }: { onChoose: (call: CheckedCall) => void }) {
  const { data, error } = useQuery({
    queryKey: ["audit", "latest"],
    queryFn: ({ signal }) => read(get("/audit", { params: { query: { limit: SHOWN } }, signal })),
    staleTime: 10_000,
  });
  return (
    <Fold summary={say.rules.past}>
      {error !== null && <Failure title={say.rules.pastFailed} error={error} />}
      {data?.items.length === 0 && <p className="text-sm text-soft">{say.rules.pastNone}</p>}
      {data !== undefined && data.items.length > 0 && (
        <ul
          aria-label={say.rules.past}
          className="max-h-72 divide-y divide-line overflow-y-auto rounded-lg border border-line"
        >
          {data.items.map((call) => (
            <li key={call.tool_call_id}>
              <Past call={call} onChoose={() => onChoose(checkedCall(call))} />
            </li>
          ))}
        </ul>
      )}
    </Fold>
  );
}

function Past({ call, onChoose }: { call: AuditedCall; onChoose: () => void }) {
  return (
    <button
      type="button"
      onClick={onChoose}
      className="grid min-h-11 w-full grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-3 px-3 py-2 text-left -outline-offset-2 hover:bg-sunk"
    >
      <span className="truncate text-sm font-semibold">
        <Name text={call.tool_name} />
      </span>
      <span className="text-xs whitespace-nowrap text-soft">
        <Ago at={call.proposed_at} />
      </span>
      <span className="col-span-2 truncate font-mono text-[0.8125rem] text-soft" dir="ltr">
        <Seen text={call.input_json.slice(0, 200)} strictness="exact" />
      </span>
    </button>
  );
}
