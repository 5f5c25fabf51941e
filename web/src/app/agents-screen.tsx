// The agents, with the runs of each that have not ended.

import { AgentsPage } from "@/features/agents/agents-page";
import { WorkingRun } from "@/features/runs/working-run";

export function AgentsScreen() {
  return <AgentsPage renderRun={(run) => <WorkingRun run={run} />} />;
}
