// What a live event makes stale. It carries news, not data: queries fetch what is.

import type { QueryKey } from "@tanstack/react-query";
import type { RunEvent } from "./client";

export function staleAfter(event: RunEvent): QueryKey[] {
  switch (event.type) {
    case "step_delta":
      return [];
    case "interaction_request":
    case "interaction_response":
    case "reminder":
    case "wait_completed":
      return [["interactions"], ["runs"], ["audit", "calls"]];
    default:
      return [["runs"]];
  }
}
