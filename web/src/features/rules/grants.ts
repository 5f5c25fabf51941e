// `/api/permissions/{user_id}`: what a user's agents may do without being asked, and what they never may.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { get, type Permissions, type Problem, post, read, remove } from "@/api/client";

export type Side = "allow" | "deny";

/** What to change: a grant to give, or one to take back. */
export type Change =
  | { kind: "give"; side: Side; resource: string; expires_at?: string; reason?: string }
  | { kind: "take-back"; side: Side; resource: string };

export function fetchGrants(user: string, signal?: AbortSignal): Promise<Permissions> {
  const params = { path: { user_id: user } };
  return read(get("/permissions/{user_id}", { params, ...(signal && { signal }) }));
}

export function useGrants(user: string) {
  return useQuery<Permissions, Problem>({
    queryKey: ["permissions", user],
    queryFn: ({ signal }) => fetchGrants(user, signal),
    enabled: user !== "",
  });
}

export function change(user: string, { kind, side, ...body }: Change): Promise<Permissions> {
  const given = { params: { path: { user_id: user } }, body };
  if (kind === "give") {
    return read(
      side === "allow" ? post("/permissions/{user_id}/allow", given) : post("/permissions/{user_id}/deny", given),
    );
  }
  return read(
    side === "allow" ? remove("/permissions/{user_id}/allow", given) : remove("/permissions/{user_id}/deny", given),
  );
}

export function useChange(user: string) {
  const queries = useQueryClient();
  return useMutation<Permissions, Problem, Change>({
    mutationFn: (wanted) => change(user, wanted),
    onSuccess: (permissions) => queries.setQueryData(["permissions", user], permissions),
    onSettled: () => queries.invalidateQueries({ queryKey: ["permissions", user] }),
  });
}
