// `GET /api/audit/verify`: whether the record is whole. It reads all of it, so it is done when somebody asks.

import { useQuery } from "@tanstack/react-query";
import { type AuditReport, get, type Problem, read } from "@/api/client";

export function fetchReport(signal?: AbortSignal): Promise<AuditReport> {
  return read(get("/audit/verify", { ...(signal && { signal }) }));
}

export function useReport() {
  return useQuery<AuditReport, Problem>({
    queryKey: ["audit", "verify"],
    queryFn: ({ signal }) => fetchReport(signal),
    enabled: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
