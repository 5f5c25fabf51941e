// `POST /api/interactions/{id}/respond`: the answer.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type Interaction, type Problem, post, type Respond, read } from "@/api/client";
import type { Reply } from "./form";
import { setInteraction } from "./interaction";

/** What somebody decides, and what goes with it. */
export type Given = Reply &
  Pick<Respond, "reason" | "replacement" | "remember" | "edited_args"> & { decision: Decision };
export type Decision = NonNullable<Respond["decision"]>;

export async function respond(id: string, { reason, ...given }: Given): Promise<Interaction> {
  const body = { request_id: id, ...given, ...(reason?.trim() && { reason: reason.trim() }) };
  return (await read(post("/interactions/{id}/respond", { params: { path: { id } }, body }))).interaction_request;
}

/** `also` are others that are exactly the same: each gets the same answer once the first has taken it. */
/** Only what can be said of several as of one: a plain yes or no. */
export function isForAll({ decision, remember }: Given): boolean {
  return (decision === "approve" && remember == null) || decision === "reject";
}

export function useRespond(id: string, also: string[] = []) {
  const queries = useQueryClient();
  return useMutation<Interaction, Problem, Given>({
    mutationFn: async (given) => {
      const first = await respond(id, given);
      // One after the other. Whichever is not taken stays in the inbox, where it is seen.
      if (isForAll(given)) for (const other of also) await respond(other, given).catch(() => undefined);
      return first;
    },
    onSuccess: (interaction) => setInteraction(queries, id, interaction),
    // Whatever came of it, what is on screen may be old.
    onSettled: () => {
      queries.invalidateQueries({ queryKey: ["interactions"] });
      queries.invalidateQueries({ queryKey: ["runs"] });
    },
  });
}
