// A list that does not move under the pointer. While it is over the list, what comes waits, and what goes keeps its row.

import { useState } from "react";
import type { Interaction } from "@/api/client";

export type Still = {
  /** What to show, in an order that holds. */
  shown: Interaction[];
  /** The ids of those that wait no longer. */
  gone: Set<string>;
  /** How many have come and are held back. */
  fresh: number;
  /** Shows them all the same. */
  letIn: () => void;
  /** For the element that the pointer is over. */
  over: { onPointerEnter: (event: React.PointerEvent) => void; onPointerLeave: () => void };
};

export function useStill(items: Interaction[]): Still {
  const [held, setHeld] = useState<Interaction[]>();
  const over = {
    // A finger that leaves the screen does not say so everywhere, and rows do not slip away under it as under a pointer.
    onPointerEnter: (event: React.PointerEvent) => event.pointerType === "mouse" && setHeld(items),
    onPointerLeave: () => setHeld(undefined),
  };
  const letIn = () => setHeld(held && items);
  if (held === undefined) return { shown: items, gone: new Set(), fresh: 0, letIn, over };
  const now = new Map(items.map((item) => [item.id, item]));
  const before = new Set(held.map(({ id }) => id));
  return {
    shown: held.map((item) => now.get(item.id) ?? item),
    gone: new Set(held.filter(({ id }) => !now.has(id)).map(({ id }) => id)),
    fresh: items.filter(({ id }) => !before.has(id)).length,
    letIn,
    over,
  };
}
