// `GET /api/interactions/{id}`: one question, as it stands now, and what stands around it.

import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { type About, get, type Interaction, read } from "@/api/client";
import { useLive } from "@/api/inbox";
import { again, type Waiting } from "./waiting";

/** What is known of a question. Nothing stands around one that was only seen in a list. */
type Known = { interaction_request: Interaction; about?: About | null };

const keyOf = (id: string) => ["interactions", id];

const queryOf = (id: string) => ({
  queryKey: keyOf(id),
  queryFn: ({ signal }: { signal: AbortSignal }): Promise<Known> =>
    read(get("/interactions/{id}", { params: { path: { id } }, signal })),
});

/** The question `id`; `known` is what is known of it already, which may be old. */
export function useInteraction(id: string, known?: Interaction) {
  const queries = useQueryClient();
  const live = useLive();
  return useQuery({
    ...queryOf(id),
    placeholderData: () => {
      const open = queries.getQueryData<Waiting>(["interactions", "open"])?.items;
      const found = known ?? open?.find((item) => item.id === id);
      return found && { interaction_request: found };
    },
    select: ({ interaction_request }: Known) => interaction_request,
    // A settled question never changes again.
    refetchInterval: ({ state: { data } }) => {
      const asked = data?.interaction_request;
      return asked === undefined || asked.status === "open" ? again(live, asked && [asked]) : false;
    },
  });
}

/** What stands around it; nothing until it is known, and null where there is nothing. */
export function useAbout(id: string) {
  return useQuery({ ...queryOf(id), select: ({ about }: Known) => about ?? null });
}

/** Remembers how the question stands after an answer. */
export function setInteraction(queries: QueryClient, id: string, interaction: Interaction) {
  queries.setQueryData<Known>(keyOf(id), (before) => ({ ...before, interaction_request: interaction }));
}
