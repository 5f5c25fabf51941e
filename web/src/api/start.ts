// `POST /api/runs`: starts a run.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type Problem, post, type Run, read } from "./client";

export type Start = {
  agent: string;
  input: string;
  /** The conversation that it goes on with; a new one where there is none. */
  session_id?: string;
};

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
