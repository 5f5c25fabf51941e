// Calls that are always approved, and the way to a rule that allows them.

import { Link } from "@tanstack/react-router";
import { checkedCall } from "@/api/audited";
import { isOperator, useMe } from "@/api/me";
import { many, say } from "@/messages";
import { buttonLook } from "@/ui/button";
import { Name, Seen } from "@/ui/seen";
import type { Always } from "./figures";

export function AlwaysList({ always }: { always: Always[] }) {
  const operator = isOperator(useMe().data);
  if (always.length === 0) return <p className="text-sm text-soft">{say.always.none}</p>;
  return (
    <ul aria-label={say.always.title} className="divide-y divide-line rounded-lg border border-line">
      {always.map(({ digest, call, count, before }) => (
        <li key={digest} data-always={digest} className="flex flex-wrap items-center gap-3 px-3.5 py-3">
          <div className="min-w-0 flex-1 basis-60">
            <p className="text-sm font-semibold wrap-anywhere">
              <Name text={call.tool_name} />
            </p>
            <p className="exact line-clamp-2 text-sm">
              <Seen text={call.input_json} strictness="exact" />
            </p>
            <p className="mt-1 text-xs text-soft">{many(say.always.times, count)}</p>
          </div>
          {operator && (
            <Link
              to="/rules"
              state={{ always: { call: checkedCall(call), count, before } }}
              className={buttonLook("plain")}
            >
              {say.always.make}
            </Link>
          )}
        </li>
      ))}
    </ul>
  );
}
