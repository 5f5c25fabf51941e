// Who is signed in, in full, and the way out.

import type { ReactNode } from "react";
import type { Principal } from "@/api/client";
import { useMe } from "@/api/me";
import { say } from "@/messages";
import { Button } from "@/ui/button";
import { Facts } from "@/ui/card";
import { Name } from "@/ui/seen";
import { meaning, roleWord } from "./role";
import { useSignOut } from "./sign-in";

export function SignedIn() {
  const me = useMe().data;
  const signOut = useSignOut();
  if (me == null) return null;
  return (
    <section className="space-y-4">
      <h2 className="text-sm font-semibold">{say.settings.account}</h2>
      <Facts facts={factsOf(me)} />
      <p className="text-sm">{meaning(me.role)}</p>
      <Button disabled={signOut.isPending} onClick={() => signOut.mutate()}>
        {say.app.signOut}
      </Button>
    </section>
  );
}

function factsOf(me: Principal): [string, ReactNode][] {
  const kinds: Record<string, string> = say.settings.kinds;
  const groups: [string, ReactNode][] =
    me.groups.length === 0 ? [] : [[say.settings.groups, <Name key="groups" text={me.groups.join(", ")} />]];
  return [
    [say.settings.name, <Name key="name" text={me.name} />],
    [say.settings.kind, kinds[me.kind] ?? me.kind],
    [say.settings.role, roleWord(me.role)],
    ...groups,
  ];
}
