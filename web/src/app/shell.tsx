// The frame around every page: who is signed in, where one can go, and whether the server answers.

import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { useEffect } from "react";
import type { Principal } from "@/api/client";
import { useInboxStream } from "@/api/inbox";
import { useMe } from "@/api/me";
import { News } from "@/features/inbox/news";
import { useWaiting, type Waiting } from "@/features/inbox/waiting";
import { Account } from "@/features/session/account";
import { SignInPage } from "@/features/session/sign-in-page";
import { number, say } from "@/messages";
import { Logo } from "@/ui/logo";
import { Failure } from "@/ui/notice";
import { Menu, Row } from "./nav";
import { Shortcuts } from "./shortcuts";

export function Shell() {
  const me = useMe();
  const atDoor = useRouterState({ select: ({ location }) => location.pathname === "/sign-in" });
  if (atDoor || me.data === null) return <SignInPage />;
  if (me.data !== undefined) return <Frame me={me.data} />;
  if (me.error === null) return <div role="status" aria-label={say.app.loading} />;
  return (
    <main className="mx-auto max-w-md px-4 pt-[20dvh]">
      <Failure title={say.app.meFailed} error={me.error} onRetry={me.refetch} />
    </main>
  );
}

function Frame({ me }: { me: Principal }) {
  useInboxStream();
  const waiting = useWaiting();
  const count = countOf(waiting.data);
  useTitle(count);
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:z-20 focus:m-2 focus:rounded-lg focus:bg-card focus:px-4 focus:py-2"
      >
        {say.app.skip}
      </a>
      <header className="sticky top-0 z-10 border-b border-line bg-paper/90 backdrop-blur">
        <div className="mx-auto flex h-14 max-w-7xl items-center gap-2 px-3 sm:gap-4 lg:px-6">
          <Link
            to="/"
            activeOptions={{ exact: true }}
            className="flex min-h-11 items-center gap-2.5 px-1 font-semibold tracking-tight"
            aria-label={say.app.name}
          >
            <Logo />
            <span className="max-lg:hidden">{say.app.name}</span>
          </Link>
          <Row count={count} />
          <Menu count={count} />
          <div className="ml-auto flex items-center">
            <Shortcuts />
            <Account me={me} />
          </div>
        </div>
      </header>
      {waiting.error !== null && waiting.data !== undefined && (
        <p role="alert" className="bg-warn-soft px-4 py-2 text-center text-sm font-medium text-warn">
          {say.app.offline}
        </p>
      )}
      <News waiting={waiting.data} />
      <main id="content" tabIndex={-1} className="flex-1">
        <Outlet />
      </main>
    </div>
  );
}

/** How many wait stands in the tab of the browser, too. */
function useTitle(count: string) {
  useEffect(() => {
    document.title = count !== "" ? `(${count}) ${say.app.name}` : say.app.name;
  }, [count]);
}

/** How many wait; empty where nothing does. */
function countOf(waiting: Waiting | undefined): string {
  const count = waiting?.items.length ?? 0;
  return count === 0 ? "" : `${number(count)}${waiting?.more ? "+" : ""}`;
}
