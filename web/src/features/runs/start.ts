// `POST /api/runs`: starts a run.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type Problem, post, type Run, read } from "@/api/client";

export type Start = { agent: string; input: string };

export function start(body: Start): Promise<Run> {
  return read(post("/runs", { body }));
}

export function useStart() {
  const queries = useQueryClient();
  return useMutation<Run, Problem, Start>({
    mutationFn: start,
    onSuccess: (run) => {
      queries.setQueryData(["runs", run.id], run);
      queries.invalidateQueries({ queryKey: ["runs", "list"] });
    },
  });
}
