// Who is signed in, and the way out.

import { useId } from "react";
import type { Principal } from "@/api/client";
import { say } from "@/messages";
import { Button } from "@/ui/button";
import { Name } from "@/ui/seen";
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
        <Button className="mt-4 w-full" disabled={signOut.isPending} onClick={() => signOut.mutate()}>
          {say.app.signOut}
        </Button>
      </div>
    </>
  );
}

function roleWord(role: string): string {
  const words: Record<string, string> = say.app.roles;
  return words[role] ?? role;
}

function meaning(role: string): string | undefined {
  const words: Record<string, string> = say.app.rolesMean;
  return words[role];
}
