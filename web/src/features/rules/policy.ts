// `/api/rules` and `/api/policy`: the rules, trying a change out, making it, and the history.

import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import {
  type DraftChange,
  type DryRun,
  get,
  type PolicyChange,
  Problem,
  post,
  put,
  type Rule,
  type RuleDraft,
  read,
  readTagged,
  remove,
  type Wrong,
} from "@/api/client";
import { saveThing, type ThingWish, thingChange } from "./things";

/** What to make of a rule, or of another thing of the policy: new, other than it is, or no more. */
export type Wish =
  | { kind: "create"; name: string; rule: RuleDraft; reason: string }
  | { kind: "change"; name: string; rule: RuleDraft; reason: string }
  | { kind: "remove"; name: string; reason: string }
  | ThingWish;

/** The rules in their order, whether there are more, and the version of the policy that they are of. */
export type Rules = { rules: Rule[]; more: boolean; version: string | undefined };

export async function fetchRules(signal?: AbortSignal): Promise<Rules> {
  const params = { query: { limit: 1000 } };
  const { data, tag } = await readTagged(get("/rules", { params, ...(signal && { signal }) }));
  return { rules: data.items, more: data.next != null, version: tag };
}

export function useRules() {
  return useQuery<Rules, Problem>({ queryKey: ["rules"], queryFn: ({ signal }) => fetchRules(signal) });
}

/** The change as a dry run takes it. */
export function changeOf(wish: Wish): DraftChange {
  if ("thing" in wish) return thingChange(wish);
  return { kind: "rule", key: wish.name, body: wish.kind === "remove" ? null : { ...wish.rule } };
}

/** One change is tried out at a time, perhaps what was just written: then it is asked again until its turn has come. */
const AGAIN = {
  retry: (count: number, error: Error) => count < 60 && error instanceof Problem && error.code === "BUSY",
  retryDelay: 250,
};

export function useTrial() {
  return useMutation<DryRun, Problem, Wish>({
    mutationFn: (wish) => read(post("/policy/dry-run", { body: { changes: [changeOf(wish)], last: 1000 } })),
    ...AGAIN,
  });
}

/** What is wrong with a change, while it is written; undefined where there is none yet. */
export function useProblems(wish: Wish | undefined): { problems: Wrong[]; fits: boolean } {
  const settled = useSettledText(wish === undefined ? "" : JSON.stringify(changeOf(wish)));
  const { data } = useQuery<Wrong[]>({
    queryKey: ["policy", "problems", settled],
    enabled: settled !== "",
    gcTime: 10_000,
    ...AGAIN,
    queryFn: async ({ signal }) => {
      const changes = [JSON.parse(settled) as DraftChange];
      try {
        await read(post("/policy/dry-run", { body: { changes, last: 1 }, signal }));
        return [];
      } catch (problem) {
        if (problem instanceof Problem && problem.wrong.length > 0) return problem.wrong;
        throw problem;
      }
    },
  });
  return { problems: data ?? [], fits: settled !== "" && data?.length === 0 };
}

/** How long nothing is typed before it is looked at. */
const PAUSE = 300;

function useSettledText(text: string): string {
  const [settled, setSettled] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE);
    return () => clearTimeout(timer);
  }, [text]);
  return text === "" ? "" : settled;
}

/** Makes the change, if the policy is still the one that was seen. */
export function save(wish: Wish, version: string | undefined): Promise<unknown> {
  if ("thing" in wish) return saveThing(wish, version);
  const header = version === undefined ? {} : { "If-Match": version };
  const reason = wish.reason === "" ? {} : { reason: wish.reason };
  const path = { name: wish.name };
  switch (wish.kind) {
    case "create":
      return read(post("/rules", { params: { header }, body: { ...wish.rule, ...reason, name: wish.name } }));
    case "change":
      return read(put("/rules/{name}", { params: { header, path }, body: { ...wish.rule, ...reason } }));
    case "remove":
      return read(remove("/rules/{name}", { params: { header, path, query: reason } }));
  }
}

export function useSave() {
  const queries = useQueryClient();
  return useMutation<unknown, Problem, { wish: Wish; version: string | undefined }>({
    mutationFn: ({ wish, version }) => save(wish, version),
    onSettled: () => stale(queries),
  });
}

export function useHistory() {
  return useInfiniteQuery({
    queryKey: ["policy", "changes"],
    queryFn: ({ pageParam, signal }) =>
      read(
        get("/policy/changes", {
          params: { query: { limit: 20, ...(pageParam !== undefined && { after: Number(pageParam) }) } },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: { next?: string | null }) => page.next ?? undefined,
  });
}

export function useUndo() {
  const queries = useQueryClient();
  return useMutation<PolicyChange, Problem, number>({
    mutationFn: (version) => read(post("/policy/changes/{version}/undo", { params: { path: { version } }, body: {} })),
    onSettled: () => stale(queries),
  });
}

/** A change of the policy changes what every part of this screen says. */
function stale(queries: ReturnType<typeof useQueryClient>) {
  return Promise.all(
    [["rules"], ["things"], ["policy", "changes"], ["permissions"]].map((queryKey) =>
      queries.invalidateQueries({ queryKey }),
    ),
  );
}
