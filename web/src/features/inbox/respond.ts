// `POST /api/interactions/{id}/respond`: the answer.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type Interaction, type Problem, post, type Respond, read } from "@/api/client";
import type { Reply } from "./form";

/** What somebody decides, and what goes with it. */
export type Given = Reply &
  Pick<Respond, "reason" | "replacement" | "remember" | "edited_args"> & { decision: Decision };
export type Decision = NonNullable<Respond["decision"]>;

export async function respond(id: string, { reason, ...given }: Given): Promise<Interaction> {
  const body = { request_id: id, ...given, ...(reason?.trim() && { reason: reason.trim() }) };
  return (await read(post("/interactions/{id}/respond", { params: { path: { id } }, body }))).interaction_request;
}

export function useRespond(id: string) {
  const queries = useQueryClient();
  return useMutation<Interaction, Problem, Given>({
    mutationFn: (given) => respond(id, given),
    onSuccess: (interaction) => queries.setQueryData(["interactions", id], interaction),
    // Whatever came of it, what is on screen may be old.
    onSettled: () => {
      queries.invalidateQueries({ queryKey: ["interactions"] });
      queries.invalidateQueries({ queryKey: ["runs"] });
    },
  });
}
