// `GET /api/agents`: the agents that can be run.

import { useQuery } from "@tanstack/react-query";
import { get, read } from "./client";

export async function fetchAgents() {
  return (await read(get("/agents"))).items;
}

export function useAgents() {
  return useQuery({ queryKey: ["agents"], queryFn: fetchAgents, staleTime: 60_000 });
}
