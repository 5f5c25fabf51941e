// Where one can go: in a row where there is room, in a menu where there is not.

import { Link, useRouterState } from "@tanstack/react-router";
import { useId } from "react";
import { say } from "@/messages";

/** The screens, in the order of the row. `also` is another address that belongs to it. */
const screens = () =>
  [
    { to: "/", label: say.app.inbox, also: "/interactions" },
    { to: "/chat", label: say.nav.chat },
    { to: "/runs", label: say.app.runs },
    { to: "/agents", label: say.nav.agents },
    { to: "/rules", label: say.nav.rules },
    { to: "/audit", label: say.nav.audit },
    { to: "/insights", label: say.nav.insights },
  ] as const;

type Screen = {
  to: "/" | "/chat" | "/runs" | "/agents" | "/rules" | "/audit" | "/insights" | "/settings";
  label: string;
  also?: string;
};

export function Row({ count }: { count: string }) {
  return (
    <nav aria-label={say.nav.label} className="flex gap-1 text-sm font-medium max-lg:hidden">
      {screens().map((screen) => (
        <Tab key={screen.to} screen={screen} count={screen.to === "/" ? count : ""} />
      ))}
    </nav>
  );
}

function Tab({ screen, count }: { screen: Screen; count: string }) {
  const here = useHere(screen);
  return (
    <Link
      to={screen.to}
      activeOptions={{ exact: true }}
      aria-current={here ? "page" : undefined}
      className={`flex min-h-11 items-center gap-2 rounded-lg px-3 whitespace-nowrap ${here ? "text-ink" : "text-soft hover:text-ink"}`}
    >
      <span className={here ? "border-b-2 border-accent py-0.5" : "py-0.5"}>{screen.label}</span>
      <Count count={count} />
    </Link>
  );
}

/** The same behind a button. */
export function Menu({ count }: { count: string }) {
  const id = useId();
  const all: Screen[] = [...screens(), { to: "/settings", label: say.nav.settings }];
  const close = () => document.getElementById(id)?.hidePopover();
  return (
    <div className="lg:hidden">
      <button
        type="button"
        popoverTarget={id}
        data-menu
        className="flex min-h-11 items-center gap-2 rounded-lg px-2.5 text-sm font-medium hover:bg-sunk"
      >
        <Lines />
        {say.nav.menu}
        <Count count={count} />
      </button>
      <nav
        id={id}
        popover="auto"
        aria-label={say.nav.label}
        className="menu-under-header fixed rounded-xl border border-line bg-card p-2 text-ink shadow-card"
      >
        <ul>
          {all.map((screen) => (
            <li key={screen.to}>
              <Item screen={screen} count={screen.to === "/" ? count : ""} onGo={close} />
            </li>
          ))}
        </ul>
      </nav>
    </div>
  );
}

function Item({ screen, count, onGo }: { screen: Screen; count: string; onGo: () => void }) {
  const here = useHere(screen);
  return (
    <Link
      to={screen.to}
      activeOptions={{ exact: true }}
      aria-current={here ? "page" : undefined}
      onClick={onGo}
      className={`flex min-h-12 items-center justify-between gap-3 rounded-lg px-3 font-medium ${here ? "bg-accent-soft text-accent" : "hover:bg-sunk"}`}
    >
      {screen.label}
      <Count count={count} />
    </Link>
  );
}

function Count({ count }: { count: string }) {
  if (count === "") return null;
  return (
    <span className="min-w-5 rounded-full bg-accent px-1.5 text-center text-xs leading-5 font-semibold text-paper tabular-nums">
      {count}
    </span>
  );
}

function Lines() {
  return (
    <svg aria-hidden="true" viewBox="0 0 16 16" className="size-4">
      <path d="M2 4.5h12M2 8h12M2 11.5h12" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round" />
    </svg>
  );
}

function useHere({ to, also }: Screen): boolean {
  return useRouterState({
    select: ({ location: { pathname } }) =>
      pathname === to ||
      (to !== "/" && pathname.startsWith(`${to}/`)) ||
      (also !== undefined && pathname.startsWith(also)),
  });
}
