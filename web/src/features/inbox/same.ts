// Calls that are exactly the same and wait side by side: one row for them, and one decision if somebody wants that. Each
// is still answered by itself, and the server looks at each answer.

import type { Interaction } from "@/api/client";

/** What two requests have in common that may be decided together; undefined for what is always decided by itself. */
export function sameness({ status, purpose, call, asked_by, answerable_by }: Interaction): string | undefined {
  if (purpose !== "approval" || status !== "open") return undefined;
  return JSON.stringify([call.digest, asked_by.user_id, asked_by.agent, asked_by.role, answerable_by]);
}

/** One of each, the opened one where it is among them, and how many each stands for. */
export function oneOfEach(items: Interaction[], opened: string | undefined) {
  const groups = new Map<string, Interaction[]>();
  for (const item of items) {
    const key = sameness(item) ?? item.id;
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  const counts = new Map<string, number>();
  const shown = [...groups.values()].flatMap((group) => {
    const one = group.find(({ id }) => id === opened) ?? group[0];
    if (one !== undefined) counts.set(one.id, group.length);
    return one === undefined ? [] : [one];
  });
  return { shown, counts };
}

/** The others among `items` that are the same as `interaction`. */
export function sameAs(interaction: Interaction, items: Interaction[]): Interaction[] {
  const key = sameness(interaction);
  return key === undefined ? [] : items.filter((item) => item.id !== interaction.id && sameness(item) === key);
}
