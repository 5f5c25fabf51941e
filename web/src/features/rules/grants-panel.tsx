// The grants of a user: one's own, and for an operator anybody's.

import { type FormEvent, useState } from "react";
import { isOperator, useMe } from "@/api/me";
import { say } from "@/messages";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Field } from "@/ui/field";
import { Failure, Loading } from "@/ui/notice";
import { AddGrant } from "./add-grant";
import { GrantList } from "./grant-list";
import { useGrants } from "./grants";

export function Grants() {
  const me = useMe().data;
  const [user, setUser] = useState(me?.name ?? "");
  return (
    <Card className="p-4 sm:p-6">
      <h2 className="text-lg font-semibold tracking-tight">{say.rules.grants}</h2>
      <p className="max-w-prose text-sm text-soft">{say.rules.grantsText}</p>
      {isOperator(me) && <Whose user={user} onShow={setUser} />}
      {/* Another user is another list: nothing half typed moves over to it. */}
      <Of key={user} user={user} />
    </Card>
  );
}

function Whose({ user, onShow }: { user: string; onShow: (user: string) => void }) {
  const [name, setName] = useState(user);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== "") onShow(name.trim());
  };
  return (
    <form onSubmit={submit} className="mt-4 flex items-end gap-3">
      <Field label={say.rules.whose} className="w-64">
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
      <Button type="submit">{say.rules.show}</Button>
    </form>
  );
}

function Of({ user }: { user: string }) {
  const { data, error, refetch } = useGrants(user);
  if (data === undefined) {
    return (
      <div className="mt-5">
        {error === null ? (
          <Loading rows={2} />
        ) : (
          <Failure title={say.rules.grantsFailed} error={error} onRetry={refetch} />
        )}
      </div>
    );
  }
  return (
    <>
      <div className="mt-5 grid gap-6 lg:grid-cols-2">
        <GrantList user={user} side="allow" grants={data.allow} />
        <GrantList user={user} side="deny" grants={data.deny} />
      </div>
      <AddGrant user={user} />
    </>
  );
}
