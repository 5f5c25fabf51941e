// A role in the reader's words.

import { say } from "@/messages";

export function roleWord(role: string): string {
  const words: Record<string, string> = say.app.roles;
  return words[role] ?? role;
}

export function meaning(role: string): string | undefined {
  const words: Record<string, string> = say.app.rolesMean;
  return words[role];
}
