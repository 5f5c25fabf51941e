import type { AuditedCall, AuditReport, Interaction, Permissions, Principal, Run, RunEvent } from "../src/api/client";

type Asked = { method: string; path: string; headers: Record<string, string | undefined>; body: string };

export class Fake {
  people: Record<string, Principal>;
  sessions: Map<string, Principal>;
  runs: Map<string, Run>;
  interactions: Map<string, Interaction>;
  requests: Asked[];
  calls: AuditedCall[];
  report: AuditReport;
  page: number;
  granted(user: string): Permissions;
  breaks: number;
  deaf: boolean;
  hesitates: number;
  refuses: string | undefined;
  run(more?: Partial<Run>): Run;
  event(run: string, type: string, data: Record<string, unknown>, step?: number): RunEvent;
  ask(run: Run, call: object, more?: Partial<Interaction>): Interaction;
  listen(port?: number): Promise<string>;
  close(): Promise<void>;
}

export const RELEASE: Partial<Interaction>;
