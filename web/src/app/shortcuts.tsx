// Keys that work on every screen, and the list of all of them.

import { useNavigate } from "@tanstack/react-router";
import { Fragment, useEffect, useId, useRef } from "react";
import { say } from "@/messages";
import { Button } from "@/ui/button";
import { useKeys } from "@/ui/keys";

/** How long `g` waits for the letter after it. */
const PATIENCE = 1500;

const PLACES = {
  i: "/",
  c: "/chat",
  r: "/runs",
  a: "/audit",
  n: "/insights",
  u: "/rules",
  e: "/agents",
  s: "/settings",
} as const;

export function Shortcuts() {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const open = () => dialog.current?.showModal();
  useGo();
  useKeys({
    "?": open,
    "/": (event) => {
      const field = document.querySelector<HTMLElement>("[data-filter]");
      if (field === null) return;
      event.preventDefault();
      field.focus();
    },
  });
  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-label={say.keys.title}
        title={say.keys.title}
        onClick={open}
        className="grid min-h-11 min-w-11 place-items-center rounded-lg text-soft hover:bg-sunk hover:text-ink max-md:hidden"
      >
        <kbd className="grid size-6 place-items-center rounded-md border border-line-strong font-mono text-xs">?</kbd>
      </button>
      <dialog
        ref={dialog}
        aria-labelledby={id}
        className="m-auto w-[min(30rem,calc(100vw-2rem))] rounded-xl border border-line bg-card p-5 text-ink shadow-card backdrop:bg-black/40 sm:p-6"
      >
        <h2 id={id} className="text-lg font-semibold tracking-tight">
          {say.keys.title}
        </h2>
        <p className="text-sm text-soft">{say.keys.text}</p>
        <dl className="mt-4 grid grid-cols-[auto_1fr] items-center gap-x-5 gap-y-2 text-sm">
          {list().map(([keys, does]) => (
            <Fragment key={does}>
              <dt className="flex gap-1">
                {keys.map((key) => (
                  <kbd
                    key={key}
                    className="min-w-6 rounded-md border border-line-strong bg-sunk px-1.5 text-center font-mono text-xs leading-6"
                  >
                    {key}
                  </kbd>
                ))}
              </dt>
              <dd>{does}</dd>
            </Fragment>
          ))}
        </dl>
        <Button className="mt-5" onClick={() => dialog.current?.close()}>
          {say.keys.close}
        </Button>
      </dialog>
    </>
  );
}

function list(): [keys: string[], does: string][] {
  return [
    [["j"], say.keys.next],
    [["k"], say.keys.previous],
    [["a"], say.keys.approve],
    [["r"], say.keys.reject],
    [["e"], say.full.edit],
    [["x"], say.full.select],
    [["/"], say.keys.filter],
    [["?"], say.keys.help],
    [["g", "i"], say.keys.toInbox],
    [["g", "c"], say.keys.toChat],
    [["g", "r"], say.keys.toRuns],
    [["g", "e"], say.keys.toAgents],
    [["g", "u"], say.keys.toRules],
    [["g", "a"], say.keys.toAudit],
    [["g", "n"], say.keys.toInsights],
    [["g", "s"], say.keys.toSettings],
  ];
}

/**
 * `g` and then a letter goes to a screen. The letter is taken before anybody else hears of it, so that `g a` never approves
 * and `g r` never rejects.
 */
function useGo() {
  const navigate = useNavigate();
  const since = useRef(Number.NEGATIVE_INFINITY);
  useKeys({
    g: () => {
      since.current = performance.now();
    },
  });
  useEffect(() => {
    const second = (event: KeyboardEvent) => {
      const waits = performance.now() - since.current < PATIENCE;
      if (!waits || event.key === "g") return;
      since.current = Number.NEGATIVE_INFINITY;
      if (event.ctrlKey || event.metaKey || event.altKey || isTyped(event)) return;
      // Whatever it is, it was meant to be the second letter.
      event.preventDefault();
      event.stopImmediatePropagation();
      const to = Object.hasOwn(PLACES, event.key) ? PLACES[event.key as keyof typeof PLACES] : undefined;
      if (to !== undefined) navigate({ to });
    };
    window.addEventListener("keydown", second, { capture: true });
    return () => window.removeEventListener("keydown", second, { capture: true });
  }, [navigate]);
}

/** Keys that only hold another one, or that leave, are no letter. */
function isTyped({ key, target }: KeyboardEvent): boolean {
  return key.length > 1 || target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}
