// Who is signed in, and the way out.

import { Link } from "@tanstack/react-router";
import { useId } from "react";
import type { Principal } from "@/api/client";
import { say } from "@/messages";
import { Button, buttonLook } from "@/ui/button";
import { Name } from "@/ui/seen";
import { meaning, roleWord } from "./role";
import { useSignOut } from "./sign-in";

export function Account({ me }: { me: Principal }) {
  const signOut = useSignOut();
  const id = useId();
  const role = roleWord(me.role);
  return (
    <>
      <button
        type="button"
        popoverTarget={id}
        data-account
        className="flex min-h-11 items-center gap-2 rounded-lg px-2 text-sm hover:bg-sunk"
      >
        <span
          aria-hidden="true"
          className="grid size-7 place-items-center rounded-full bg-accent-soft font-semibold text-accent uppercase"
        >
          {[...me.name][0]}
        </span>
        <span className="sr-only">{say.app.signedIn} </span>
        <span className="max-w-40 truncate font-medium max-sm:sr-only">
          <Name text={me.name} />
        </span>{" "}
        <span className="text-soft max-sm:sr-only">{role}</span>
      </button>
      <div
        id={id}
        popover="auto"
        className="under-its-button fixed w-64 rounded-xl border border-line bg-card p-4 text-ink shadow-card"
      >
        <p className="font-semibold wrap-anywhere">
          <Name text={me.name} />
        </p>
        <p className="text-sm text-soft">{role}</p>
        <p className="mt-2 text-sm">{meaning(me.role)}</p>
        <Link
          to="/settings"
          onClick={() => document.getElementById(id)?.hidePopover()}
          className={`${buttonLook("plain")} mt-4 w-full`}
        >
          {say.nav.settings}
        </Link>
        <Button className="mt-2 w-full" disabled={signOut.isPending} onClick={() => signOut.mutate()}>
          {say.app.signOut}
        </Button>
      </div>
    </>
  );
}
