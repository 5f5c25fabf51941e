// Makes a token, and shows it this once.

import { type FormEvent, useState } from "react";
import type { NewToken } from "@/api/client";
import { say } from "@/messages";
import { Button } from "@/ui/button";
import { Code } from "@/ui/code";
import { Field } from "@/ui/field";
import { Failure, Notice } from "@/ui/notice";
import { Options } from "@/ui/options";
import { useMakeToken } from "./tokens";

const KINDS = ["user", "agent", "service"] as const;
const ROLES = ["viewer", "approver", "operator"] as const;

export function MakeToken() {
  const make = useMakeToken();
  const [kind, setKind] = useState<(typeof KINDS)[number]>("user");
  const [role, setRole] = useState<(typeof ROLES)[number]>("approver");
  const [name, setName] = useState("");
  const [actsFor, setActsFor] = useState("");
  const [groups, setGroups] = useState("");
  const [tried, setTried] = useState(false);
  const isAgent = kind === "agent";
  const wrongName = name.trim() === "" ? say.tokens.nameNeeded : undefined;
  const wrongUser = isAgent && actsFor.trim() === "" ? say.tokens.actsForNeeded : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (wrongName !== undefined || wrongUser !== undefined || make.isPending) return;
    make.mutate(wanted({ kind, role, name, actsFor, groups }), {
      onSuccess: () => {
        setName("");
        setActsFor("");
        setGroups("");
        setTried(false);
      },
    });
  };
  return (
    <form onSubmit={submit} noValidate aria-label={say.tokens.make} className="space-y-4 border-t border-line pt-5">
      <h3 className="text-sm font-semibold">{say.tokens.make}</h3>
      {make.error !== null && <Failure title={say.tokens.makeFailed} error={make.error} />}
      {make.data !== undefined && (
        <Notice tone="calm" title={say.tokens.once}>
          <p className="mb-2">{say.tokens.onceText}</p>
          <Code text={make.data.token} label={make.data.name} />
        </Notice>
      )}
      <Options legend={say.settings.kind} all={KINDS} labels={say.settings.kinds} chosen={kind} onChoose={setKind} />
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={say.settings.name} wrong={tried ? wrongName : undefined}>
          {(given) => (
            <input
              {...given}
              value={name}
              spellCheck={false}
              autoComplete="off"
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        {isAgent ? (
          <Field label={say.tokens.actsForLabel} wrong={tried ? wrongUser : undefined}>
            {(given) => (
              <input
                {...given}
                value={actsFor}
                spellCheck={false}
                autoComplete="off"
                onChange={(event) => setActsFor(event.target.value)}
              />
            )}
          </Field>
        ) : (
          <Field label={say.settings.groups} about={say.tokens.groupsText} optional>
            {(given) => (
              <input
                {...given}
                value={groups}
                spellCheck={false}
                autoComplete="off"
                onChange={(event) => setGroups(event.target.value)}
              />
            )}
          </Field>
        )}
      </div>
      {!isAgent && (
        <Options legend={say.settings.role} all={ROLES} labels={say.app.roles} chosen={role} onChoose={setRole} />
      )}
      <Button type="submit" look="go" disabled={make.isPending} aria-busy={make.isPending}>
        {say.tokens.makeIt}
      </Button>
    </form>
  );
}

type Typed = { kind: (typeof KINDS)[number]; role: string; name: string; actsFor: string; groups: string };

function wanted({ kind, role, name, actsFor, groups }: Typed): NewToken {
  if (kind === "agent") return { kind, name: name.trim(), acts_for: actsFor.trim() };
  const named = groups.split(",").flatMap((group) => group.trim() || []);
  return { kind, name: name.trim(), role, ...(named.length > 0 && { groups: named }) };
}
