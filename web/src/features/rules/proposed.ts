// A rule that another screen proposes: for a call that is always approved.

import { useQuery } from "@tanstack/react-query";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { fill, number, say } from "@/messages";
import { check } from "./check";
import { BLANK, type Typed } from "./rule-draft";

/** The rule; null where none covers exactly that call. */
export type Proposed = { rule: Typed | null | undefined; done: () => void };

/** The rule, once the server has said what covers exactly the call. */
export function useProposed(): Proposed {
  const always = useRouterState({ select: ({ location }) => location.state.always });
  const navigate = useNavigate();
  const { data } = useQuery({
    queryKey: ["policy", "covers", JSON.stringify(always?.call ?? null)],
    enabled: always !== undefined,
    queryFn: async (): Promise<Typed | null> => {
      if (always === undefined) return null;
      const { resource } = await check(always.call);
      // What is not known exactly any more, because it was erased or was never understood, is no reason to allow a whole tool.
      if (resource == null || "(erased)" in (always.call.args ?? {})) return null;
      const server = always.call.server ?? "";
      // A pattern names no server; the rule does.
      const tool = resource.replace(server === "" ? "" : `${server}/`, "");
      const description = fill(say.always.reason, { count: number(always.count) });
      return {
        ...BLANK,
        name: nameFor(always.call.tool, tool),
        tool,
        server,
        // Without a word about it a rule is for the tool of that name of every server.
        when: server === "" ? "call.server == null" : "",
        effect: "allow",
        description,
        before: always.before,
      };
    },
  });
  const done = () => navigate({ to: "/rules", replace: true, state: {} });
  return { rule: always === undefined ? undefined : data, done };
}

/** Short, and the same for the same call. */
function nameFor(tool: string, pattern: string): string {
  const sum = [...pattern].reduce((total, letter) => (total * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003, 7);
  return `always-${tool.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}-${sum.toString(36)}`;
}
