// `POST /api/sign-in` and `POST /api/sign-out`.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type Principal, type Problem, post, read } from "@/api/client";

export type Secret = { link: string } | { token: string };

export function signIn(secret: Secret): Promise<Principal> {
  return read(post("/sign-in", { body: secret }));
}

export function useSignIn() {
  const queries = useQueryClient();
  return useMutation<Principal, Problem, Secret>({
    mutationFn: signIn,
    onSuccess: async (me) => {
      // An answer from before, that nobody is signed in, may still be on its way.
      await queries.cancelQueries({ queryKey: ["me"] });
      // Nothing that somebody else was shown is kept.
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "me" });
      queries.setQueryData(["me"], me);
    },
  });
}

export function useSignOut() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => read(post("/sign-out")),
    onSuccess: async () => {
      await queries.cancelQueries({ queryKey: ["me"] });
      queries.setQueryData(["me"], null);
      queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== "me" });
    },
  });
}
