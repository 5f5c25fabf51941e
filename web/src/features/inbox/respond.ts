// `POST /api/interactions/{id}/respond`: the answer.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type Interaction, type Problem, post, read } from "@/api/client";

export type Decision = { decision: "approve" | "reject"; reason?: string };

export async function respond(id: string, { decision, reason }: Decision): Promise<Interaction> {
  const body = { request_id: id, decision, ...(reason?.trim() && { reason: reason.trim() }) };
  return (await read(post("/interactions/{id}/respond", { params: { path: { id } }, body }))).interaction_request;
}

export function useRespond(id: string) {
  const queries = useQueryClient();
  return useMutation<Interaction, Problem, Decision>({
    mutationFn: (decision) => respond(id, decision),
    onSuccess: (interaction) => queries.setQueryData(["interactions", id], interaction),
    // Whatever came of it, what is on screen may be old.
    onSettled: () => {
      queries.invalidateQueries({ queryKey: ["interactions"] });
      queries.invalidateQueries({ queryKey: ["runs"] });
    },
  });
}
