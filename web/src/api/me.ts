// Who is signed in.

import { useQuery } from "@tanstack/react-query";
import { get, type Principal, Problem, read } from "./client";

/** Whoever is signed in; null for nobody. */
export async function fetchMe(): Promise<Principal | null> {
  try {
    return await read(get("/me"));
  } catch (problem) {
    if (problem instanceof Problem && problem.status === 401) return null;
    throw problem;
  }
}

export function useMe() {
  return useQuery({ queryKey: ["me"], queryFn: fetchMe, staleTime: 60_000 });
}

/** Whether they may answer at all. Whether they may answer this one, the server decides. */
export function mayAnswer(me: Principal | null | undefined): boolean {
  return me?.role === "approver" || me?.role === "operator";
}

/** Whether they may see and manage what is not theirs. */
export function isOperator(me: Principal | null | undefined): boolean {
  return me?.role === "operator";
}
