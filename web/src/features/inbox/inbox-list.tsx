// All that waits, each in three lines.

import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import type { Interaction } from "@/api/client";
import { fill, many, say } from "@/messages";
import { Badge } from "@/ui/badge";
import { Say } from "@/ui/say";
import { Name, Seen } from "@/ui/seen";
import { Countdown } from "./countdown";
import { Headline, KindBadge, tellingLine } from "./headline";

type Props = {
  items: Interaction[];
  /** How many that are exactly the same each stands for. */
  counts: ReadonlyMap<string, number>;
  /** The ids of those that wait no longer and only keep their place. */
  gone: Set<string>;
  more: boolean;
};

export function InboxList({ items, counts, gone, more }: Props) {
  useDrawn();
  return (
    <>
      <ul aria-label={say.inbox.list} className="space-y-2">
        {items.map((item) => (
          <li key={item.id} className={`row-of-many ${gone.has(item.id) ? "opacity-60" : ""}`}>
            <Item item={item} count={counts.get(item.id) ?? 1} gone={gone.has(item.id)} />
          </li>
        ))}
      </ul>
      {more && <p className="mt-3 px-1 text-xs text-soft">{say.full.behind}</p>}
    </>
  );
}

/** Says when the list was first drawn, for whoever measures it. */
function useDrawn() {
  useEffect(() => {
    requestAnimationFrame(() => performance.mark("inbox-drawn"));
  }, []);
}

function Item({ item, count, gone }: { item: Interaction; count: number; gone: boolean }) {
  return (
    <Link
      to="/interactions/$id"
      params={{ id: item.id }}
      className="block rounded-xl border border-line bg-card px-4 py-3 transition-colors hover:border-line-strong"
      activeProps={{ className: "border-accent! ring-1 ring-accent ring-inset", "aria-current": "page" }}
    >
      <span className="line-clamp-2 text-[0.9375rem] font-semibold wrap-anywhere">
        <Headline interaction={item} />
      </span>
      <span className="mt-1 block truncate font-mono text-[0.8125rem] text-soft" dir="ltr">
        <Seen text={tellingLine(item).slice(0, 200)} strictness="exact" />
      </span>
      <span className="mt-2.5 flex items-center justify-between gap-3 text-xs">
        <span className="flex flex-wrap items-center gap-1.5">
          <KindBadge interaction={item} />
          {count > 1 && <Badge tone="neutral">{many(say.news.alike, count)}</Badge>}
          <Quorum item={item} />
          <OnBehalf user={item.asked_by.user_id} />
        </span>
        {gone ? <span className="shrink-0 text-soft">{say.news.gone}</span> : <Countdown interaction={item} />}
      </span>
    </Link>
  );
}

/** How many have approved, where one is not enough. */
function Quorum({ item: { approvals, approvals_needed } }: { item: Interaction }) {
  if (approvals_needed < 2) return null;
  return <Badge tone="info">{fill(say.inbox.quorum, { given: approvals.length, needed: approvals_needed })}</Badge>;
}

/** For whom the agent works, where it does so for anybody. */
function OnBehalf({ user }: { user?: string | null | undefined }) {
  if (user == null) return null;
  return (
    <span className="max-w-36 truncate text-soft">
      <Say text={say.inbox.forUser} values={{ user: <Name text={user.slice(0, 100)} /> }} />
    </span>
  );
}
