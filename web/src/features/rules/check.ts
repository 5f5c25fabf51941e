// `POST /api/policy/check`: what would happen to a call, and why.

import { useMutation } from "@tanstack/react-query";
import { type CheckedCall, type Problem, post, read, type Verdict } from "@/api/client";

export function check(call: CheckedCall): Promise<Verdict> {
  return read(post("/policy/check", { body: call }));
}

export function useCheck() {
  return useMutation<Verdict, Problem, CheckedCall>({ mutationFn: check });
}
