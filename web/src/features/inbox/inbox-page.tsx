// What waits, with one of them beside the list. On a phone one sees the list or the one.

import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import type { Interaction } from "@/api/client";
import { many, say } from "@/messages";
import { buttonLook } from "@/ui/button";
import { Empty, Failure, Loading } from "@/ui/notice";
import { InboxList } from "./inbox-list";
import { useInteraction } from "./interaction";
import { InteractionCard } from "./interaction-card";
import { useWaiting } from "./waiting";

export function InboxPage({ id }: { id?: string }) {
  const { data, error, refetch } = useWaiting();
  const items = data?.items ?? [];
  useFirst(id, items);
  const nothing = data !== undefined && items.length === 0;
  if (nothing && id === undefined) return <Nothing />;
  return (
    <div className="mx-auto grid w-full max-w-7xl grid-cols-[minmax(0,1fr)] gap-6 px-4 py-6 lg:grid-cols-[22rem_minmax(0,1fr)] lg:px-6">
      {id !== undefined && <h1 className="sr-only lg:hidden">{say.inbox.title}</h1>}
      <div className={id === undefined ? "" : "max-lg:hidden"}>
        <div className="lg:sticky lg:top-20 lg:-m-1 lg:max-h-[calc(100dvh-6rem)] lg:overflow-y-auto lg:p-1">
          <h1 className="mb-3 flex items-baseline gap-2.5 px-1 text-lg font-semibold tracking-tight">
            {say.inbox.title}
            {items.length > 0 && (
              <span className="text-sm font-normal tracking-normal text-soft" aria-live="polite">
                {many(say.inbox.waiting, items.length)}
              </span>
            )}
          </h1>
          {data === undefined && error === null && <Loading />}
          {data === undefined && error !== null && <Failure title={say.inbox.failed} error={error} onRetry={refetch} />}
          {nothing && <p className="px-1 text-sm text-soft">{say.inbox.empty}.</p>}
          {data !== undefined && <InboxList items={items} more={data.more} />}
        </div>
      </div>
      <div className={id === undefined ? "max-lg:hidden" : "min-w-0"}>
        {id === undefined ? items.length > 0 && <Empty title={say.inbox.choose} /> : <Detail id={id} items={items} />}
      </div>
    </div>
  );
}

function Detail({ id, items }: { id: string; items: Interaction[] }) {
  const missing = <Empty title={say.inbox.none}>{say.inbox.noneText}</Empty>;
  return (
    <div className="space-y-4">
      <Link
        to="/"
        activeOptions={{ exact: true }}
        className="inline-flex min-h-11 items-center text-sm font-medium text-accent lg:hidden"
      >
        ← {say.inbox.back}
      </Link>
      <InteractionCard id={id} alone missing={missing} />
      <Next id={id} items={items} />
    </div>
  );
}

/** Once this one is settled: on to the next. */
function Next({ id, items }: { id: string; items: Interaction[] }) {
  const { data } = useInteraction(id);
  const next = items.find((item) => item.id !== id);
  if (data === undefined || data.status === "open" || next === undefined) return null;
  return (
    <Link to="/interactions/$id" params={{ id: next.id }} className={buttonLook("plain")}>
      {say.inbox.next} →
    </Link>
  );
}

function Nothing() {
  return (
    <div className="px-4 py-6">
      <h1 className="sr-only">{say.inbox.title}</h1>
      <div className="pt-[12dvh]" aria-live="polite">
        <Empty title={say.inbox.empty}>
          <p>{say.inbox.emptyText}</p>
          <Link to="/runs" className={`${buttonLook("plain")} mt-6`}>
            {say.inbox.startRun}
          </Link>
        </Empty>
      </div>
    </div>
  );
}

/** Where both are seen, the first is opened. From then on the address says which one, whatever comes or goes. */
function useFirst(id: string | undefined, items: Interaction[]) {
  const navigate = useNavigate();
  const first = items[0]?.id;
  useEffect(() => {
    if (id === undefined && first !== undefined && window.matchMedia("(min-width: 64rem)").matches) {
      navigate({ to: "/interactions/$id", params: { id: first }, replace: true });
    }
  }, [id, first, navigate]);
}
