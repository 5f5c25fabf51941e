// `/api/capabilities`, `/api/overrides` and `/api/roles`: what the policy consists of beside rules and grants.

import { useQuery } from "@tanstack/react-query";
import {
  type Capability,
  type CapabilityDraft,
  type DraftChange,
  get,
  type Override,
  type OverrideDraft,
  type Problem,
  put,
  type Role,
  type RoleDraft,
  readTagged,
  remove,
} from "@/api/client";

export type Kind = "capability" | "override" | "role";
export const KINDS: Kind[] = ["capability", "override", "role"];

export type ThingWish = { kind: "put" | "remove"; name: string; user?: string; reason: string } & (
  | { thing: "capability"; body: CapabilityDraft }
  | { thing: "override"; body: OverrideDraft }
  | { thing: "role"; body: RoleDraft }
);

/** One of them, with what it is called. */
export type Thing = (
  | { kind: "capability"; of: Capability }
  | { kind: "override"; of: Override }
  | { kind: "role"; of: Role }
) & { name: string; user?: string };

export type Things = { things: Thing[]; version: string | undefined };

export async function fetchThings(kind: Kind, signal?: AbortSignal): Promise<Things> {
  const params = { query: { limit: 1000 } };
  const given = { params, ...(signal && { signal }) };
  switch (kind) {
    case "capability": {
      const { data, tag } = await readTagged(get("/capabilities", given));
      return { things: data.items.map((of) => ({ kind, of, name: of.name })), version: tag };
    }
    case "override": {
      const { data, tag } = await readTagged(get("/overrides", given));
      const thing = (of: Override): Thing => ({ kind, of, name: of.tool, ...(of.user_id && { user: of.user_id }) });
      return { things: data.items.map(thing), version: tag };
    }
    case "role": {
      const { data, tag } = await readTagged(get("/roles", given));
      return { things: data.items.map((of) => ({ kind, of, name: of.name })), version: tag };
    }
  }
}

export function useThings(kind: Kind) {
  return useQuery<Things, Problem>({
    queryKey: ["things", kind],
    queryFn: ({ signal }) => fetchThings(kind, signal),
  });
}

export function thingChange({ thing, kind, name, user, body }: ThingWish): DraftChange {
  return { kind: thing, key: name, body: kind === "remove" ? null : { ...body }, ...(user && { user_id: user }) };
}

export async function saveThing(wish: ThingWish, version: string | undefined): Promise<unknown> {
  const header = version === undefined ? {} : { "If-Match": version };
  const reason = wish.reason === "" ? {} : { reason: wish.reason };
  const whose = wish.user === undefined ? {} : { user_id: wish.user };
  const named = { path: { name: wish.name }, header };
  const ofTool = { path: { tool: wish.name }, header };
  if (wish.kind === "remove") {
    if (wish.thing === "override") {
      return readTagged(remove("/overrides/{tool}", { params: { ...ofTool, query: { ...whose, ...reason } } }));
    }
    const params = { ...named, query: reason };
    return readTagged(
      wish.thing === "role" ? remove("/roles/{name}", { params }) : remove("/capabilities/{name}", { params }),
    );
  }
  switch (wish.thing) {
    case "capability":
      return readTagged(put("/capabilities/{name}", { params: named, body: { ...wish.body, ...reason } }));
    case "override":
      return readTagged(
        put("/overrides/{tool}", { params: { ...ofTool, query: whose }, body: { ...wish.body, ...reason } }),
      );
    case "role":
      return readTagged(put("/roles/{name}", { params: named, body: { ...wish.body, ...reason } }));
  }
}
