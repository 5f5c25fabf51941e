// How queries behave everywhere.

import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { Problem } from "@/api/client";

export function makeQueries(): QueryClient {
  const signedOut = (error: unknown) => {
    // The session has ended: back to the door, whatever page this is.
    if (error instanceof Problem && error.status === 401) queries.setQueryData(["me"], null);
  };
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError: signedOut }),
    mutationCache: new MutationCache({ onError: signedOut }),
    defaultOptions: {
      queries: {
        // What the server has refused it refuses again; what did not reach it may reach it now.
        retry: (count, error) => count < 2 && !(error instanceof Problem && error.status >= 400 && error.status < 500),
        retryDelay: (count) => 500 * 2 ** count,
        // The server is often on this very machine, which the browser's idea of being online does not cover.
        networkMode: "always",
      },
      mutations: { retry: false, networkMode: "always" },
    },
  });
  return queries;
}
