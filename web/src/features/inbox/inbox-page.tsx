// What waits, with one of them beside the list. On a phone one sees the list or the one.

import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { Interaction } from "@/api/client";
import { fill, many, number, say } from "@/messages";
import { buttonLook } from "@/ui/button";
import { fieldLook } from "@/ui/field";
import { pressButton, useKeys } from "@/ui/keys";
import { Empty, Failure, Loading } from "@/ui/notice";
import { matching } from "./filter";
import { InboxList } from "./inbox-list";
import { useInteraction } from "./interaction";
import { InteractionCard } from "./interaction-card";
import { oneOfEach } from "./same";
import { useStill } from "./still";
import { useFound, useWaiting } from "./waiting";

/** From so many on, a filter is of use. */
const MANY = 4;

export function InboxPage({ id }: { id?: string }) {
  const { data, error, refetch } = useWaiting();
  const [words, setWords] = useState("");
  const all = data?.items ?? [];
  const found = useFound(words, data) ?? data;
  const still = useStill(found?.items ?? []);
  const { shown, counts } = oneOfEach(matching(still.shown, words), id);
  useFirst(id, all);
  useInboxKeys(id, shown);
  const nothing = data !== undefined && all.length === 0;
  if (nothing && id === undefined) return <Nothing />;
  return (
    <div className="mx-auto grid w-full max-w-7xl grid-cols-[minmax(0,1fr)] gap-6 px-4 py-6 lg:grid-cols-[22rem_minmax(0,1fr)] lg:px-6">
      {id !== undefined && <h1 className="sr-only lg:hidden">{say.inbox.title}</h1>}
      <div className={id === undefined ? "" : "max-lg:hidden"}>
        <div
          {...still.over}
          className="lg:sticky lg:top-20 lg:-m-1 lg:max-h-[calc(100dvh-6rem)] lg:overflow-y-auto lg:p-1"
        >
          <div className="mb-3 flex min-h-9 items-center justify-between gap-2 px-1">
            <h1 className="flex items-baseline gap-2.5 text-lg font-semibold tracking-tight">
              {say.inbox.title}
              {all.length > 0 && (
                <span className="text-sm font-normal tracking-normal text-soft">
                  {data?.more
                    ? fill(say.full.waiting, { count: number(all.length) })
                    : many(say.inbox.waiting, all.length)}
                </span>
              )}
            </h1>
            {still.fresh > 0 && (
              <button
                type="button"
                className="min-h-9 rounded-full bg-accent px-3 text-xs font-semibold whitespace-nowrap text-paper"
                onClick={still.letIn}
              >
                {many(say.news.show, still.fresh)}
              </button>
            )}
          </div>
          {(all.length >= MANY || words !== "") && (
            <input
              type="search"
              data-filter
              aria-label={say.news.filter}
              placeholder={say.news.filter}
              value={words}
              onChange={(event) => setWords(event.target.value)}
              onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
              className={`${fieldLook} mb-3 min-h-11`}
            />
          )}
          {data === undefined && error === null && <Loading />}
          {data === undefined && error !== null && <Failure title={say.inbox.failed} error={error} onRetry={refetch} />}
          {nothing && <p className="px-1 text-sm text-soft">{say.inbox.empty}.</p>}
          {!nothing && words !== "" && shown.length === 0 && (
            <p role="status" className="px-1 text-sm text-soft">
              {say.news.filterNone}
            </p>
          )}
          {data !== undefined && (
            <InboxList items={shown} counts={counts} gone={still.gone} more={found?.more ?? data.more} />
          )}
        </div>
      </div>
      <div className={id === undefined ? "max-lg:hidden" : "min-w-0"}>
        {id === undefined ? all.length > 0 && <Empty title={say.inbox.choose} /> : <Detail id={id} items={all} />}
      </div>
    </div>
  );
}

/** `j` and `k` move, `a`, `r` and `e` press the buttons that say so, `x` takes along what is the same: what cannot be pressed cannot be pressed by key either. */
function useInboxKeys(id: string | undefined, items: Interaction[]) {
  const navigate = useNavigate();
  const go = (by: 1 | -1) => {
    const here = items.findIndex((item) => item.id === id);
    const next = items[here === -1 ? 0 : here + by];
    if (next !== undefined) navigate({ to: "/interactions/$id", params: { id: next.id } });
  };
  const card = () => document.querySelector(`[data-interaction="${CSS.escape(id ?? "")}"]`);
  useKeys({
    j: () => go(1),
    k: () => go(-1),
    a: () => pressButton(card(), "a"),
    r: (event) => {
      // The letter must not land in the field that opens.
      event.preventDefault();
      pressButton(card(), "r");
    },
    e: (event) => {
      event.preventDefault();
      pressButton(card(), "e");
    },
    x: () => card()?.querySelector<HTMLInputElement>("input[data-key=x]")?.click(),
  });
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
