// The addresses of the page, and the one place where features meet.

import { createRootRoute, createRoute, createRouter, Link, lazyRouteComponent } from "@tanstack/react-router";
import type { CheckedCall } from "@/api/client";
import { filterOf } from "@/features/audit/filter";
import { InboxPage } from "@/features/inbox/inbox-page";
import { InteractionCard } from "@/features/inbox/interaction-card";
import { RunPage } from "@/features/runs/run-page";
import { RunsPage } from "@/features/runs/runs-page";
import { say } from "@/messages";
import { Button, buttonLook } from "@/ui/button";
import { Empty } from "@/ui/notice";
import { Shell } from "./shell";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: Crashed });

const inbox = createRoute({ getParentRoute: () => root, path: "/", component: () => <InboxPage /> });

const interaction = createRoute({
  getParentRoute: () => root,
  path: "/interactions/$id",
  component: function Interaction() {
    return <InboxPage id={interaction.useParams().id} />;
  },
});

const runs = createRoute({ getParentRoute: () => root, path: "/runs", component: RunsPage });

const run = createRoute({
  getParentRoute: () => root,
  path: "/runs/$id",
  component: function Run() {
    const { id } = run.useParams();
    return <RunPage key={id} id={id} renderInteraction={(known) => <InteractionCard id={known.id} known={known} />} />;
  },
});

const chatScreen = lazyRouteComponent(() => import("./chat-screen"), "ChatScreen");

const chat = createRoute({ getParentRoute: () => root, path: "/chat", component: chatScreen });

const conversation = createRoute({ getParentRoute: () => root, path: "/chat/$session", component: chatScreen });

const agents = createRoute({
  getParentRoute: () => root,
  path: "/agents",
  component: lazyRouteComponent(() => import("./agents-screen"), "AgentsScreen"),
});

const rules = createRoute({
  getParentRoute: () => root,
  path: "/rules",
  component: lazyRouteComponent(() => import("@/features/rules/rules-page"), "RulesPage"),
});

const audit = createRoute({
  getParentRoute: () => root,
  path: "/audit",
  validateSearch: filterOf,
  component: lazyRouteComponent(() => import("@/features/audit/audit-page"), "AuditPage"),
});

const insights = createRoute({
  getParentRoute: () => root,
  path: "/insights",
  component: lazyRouteComponent(() => import("@/features/insights/insights-page"), "InsightsPage"),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  component: lazyRouteComponent(() => import("./settings-screen"), "SettingsScreen"),
});

// The shell shows the door itself, here and wherever nobody is signed in.
const signIn = createRoute({ getParentRoute: () => root, path: "/sign-in" });

export function makeRouter() {
  return createRouter({
    routeTree: root.addChildren([
      inbox,
      interaction,
      chat,
      conversation,
      runs,
      run,
      agents,
      rules,
      audit,
      insights,
      settings,
      signIn,
    ]),
    defaultPreload: false,
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
  interface HistoryState {
    /** A call that one screen hands to another. It stays out of the address, where arguments have no business. */
    call?: CheckedCall;
    /** A call that is always approved, how often it was, and the rule that asks about it. */
    always?: { call: CheckedCall; count: number; before: string };
  }
}

function NotFound() {
  return (
    <div className="pt-[12dvh]">
      <Empty title={say.app.notFound} heading="h1">
        <p>{say.app.notFoundText}</p>
        <Link to="/" className={`${buttonLook("plain")} mt-6`}>
          {say.app.backToInbox}
        </Link>
      </Empty>
    </div>
  );
}

function Crashed() {
  return (
    <div className="pt-[20dvh]" role="alert">
      <Empty title={say.app.crashed} heading="h1">
        <p>{say.app.crashedText}</p>
        <Button className="mt-6" onClick={() => window.location.reload()}>
          {say.app.reload}
        </Button>
      </Empty>
    </div>
  );
}
