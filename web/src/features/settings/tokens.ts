// `/api/tokens`: who may speak to the server. For operators.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { get, type MadeToken, type NewToken, type Problem, post, read, remove, type Token } from "@/api/client";

const KEY = ["tokens"];

export async function fetchTokens(signal?: AbortSignal): Promise<Token[]> {
  return (await read(get("/tokens", { ...(signal && { signal }) }))).items;
}

export function useTokens() {
  return useQuery<Token[], Problem>({ queryKey: KEY, queryFn: ({ signal }) => fetchTokens(signal) });
}

/** Makes a token. What it is stands in the answer, this once. */
export function useMakeToken() {
  const queries = useQueryClient();
  return useMutation<MadeToken, Problem, NewToken>({
    // What was shown once must not wait in a cache to be shown again.
    gcTime: 0,
    mutationFn: (body) => read(post("/tokens", { body })),
    onSettled: () => queries.invalidateQueries({ queryKey: KEY }),
  });
}

export function useRevokeToken() {
  const queries = useQueryClient();
  return useMutation<unknown, Problem, string>({
    mutationFn: (id) => read(remove("/tokens/{id}", { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: KEY }),
  });
}
