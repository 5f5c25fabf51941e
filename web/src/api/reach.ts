// `POST /api/runs/{id}/cancel` and `POST /api/runs/{id}/message`: reaching a run while it has not ended.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type Problem, post, type Run, read } from "./client";

export function hasEnded({ status }: Run): boolean {
  return !["queued", "running", "waiting"].includes(status);
}

export function cancel(id: string, reason: string): Promise<Run> {
  const body = reason.trim() === "" ? {} : { reason: reason.trim() };
  return read(post("/runs/{id}/cancel", { params: { path: { id } }, body }));
}

export function useCancel(id: string) {
  const queries = useQueryClient();
  return useMutation<Run, Problem, string>({
    mutationFn: (reason) => cancel(id, reason),
    onSuccess: (run) => queries.setQueryData(["runs", id], run),
    onSettled: () => {
      queries.invalidateQueries({ queryKey: ["runs"] });
      queries.invalidateQueries({ queryKey: ["interactions"] });
    },
  });
}

export async function write(id: string, text: string): Promise<void> {
  await read(post("/runs/{id}/message", { params: { path: { id } }, body: { text } }));
}

export function useWrite(id: string) {
  const queries = useQueryClient();
  return useMutation<void, Problem, string>({
    mutationFn: (text) => write(id, text),
    onSettled: () => queries.invalidateQueries({ queryKey: ["runs"] }),
  });
}
