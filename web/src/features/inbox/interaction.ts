// `GET /api/interactions/{id}`: one question, as it stands now.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { get, type Interaction, read } from "@/api/client";
import { useLive } from "@/api/inbox";
import { again, type Waiting } from "./waiting";

export async function fetchInteraction(id: string, signal?: AbortSignal): Promise<Interaction> {
  const params = { path: { id } };
  return (await read(get("/interactions/{id}", { params, ...(signal && { signal }) }))).interaction_request;
}

/** The question `id`; `known` is what is known of it already, which may be old. */
export function useInteraction(id: string, known?: Interaction) {
  const queries = useQueryClient();
  const live = useLive();
  return useQuery<Interaction>({
    queryKey: ["interactions", id],
    queryFn: ({ signal }) => fetchInteraction(id, signal),
    placeholderData: () =>
      known ?? queries.getQueryData<Waiting>(["interactions", "open"])?.items.find((item) => item.id === id),
    // A settled question never changes again.
    refetchInterval: ({ state: { data } }) =>
      data === undefined || data.status === "open" ? again(live, data && [data]) : false,
  });
}
