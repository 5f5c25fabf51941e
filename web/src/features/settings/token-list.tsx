// The tokens there are, whose they are, and the way to end one.

import { useState } from "react";
import type { Token } from "@/api/client";
import { fill, say } from "@/messages";
import { Button } from "@/ui/button";
import { Failure, Loading } from "@/ui/notice";
import { Say } from "@/ui/say";
import { Name } from "@/ui/seen";
import { Ago } from "@/ui/time";
import { useRevokeToken, useTokens } from "./tokens";

export function TokenList({ roleWord }: { roleWord: (role: string) => string }) {
  const { data, error, refetch } = useTokens();
  if (data === undefined) {
    return error === null ? (
      <Loading rows={2} />
    ) : (
      <Failure title={say.tokens.failed} error={error} onRetry={refetch} />
    );
  }
  const held = data.filter((token) => token.revoked_at == null);
  if (held.length === 0) return <p className="text-sm text-soft">{say.tokens.none}</p>;
  return (
    <ul aria-label={say.tokens.title} className="divide-y divide-line rounded-lg border border-line">
      {held.map((token) => (
        <li key={token.id} data-token={token.id} className="px-3.5 py-3">
          <Row token={token} role={roleWord(token.role)} />
        </li>
      ))}
    </ul>
  );
}

function Row({ token, role }: { token: Token; role: string }) {
  const revoke = useRevokeToken();
  const [sure, setSure] = useState(false);
  const kinds: Record<string, string> = say.settings.kinds;
  return (
    <>
      <div className="flex flex-wrap items-start gap-3">
        <div className="min-w-0 flex-1">
          <p className="text-sm font-semibold wrap-anywhere">
            <Name text={token.name} />
          </p>
          <p className="mt-0.5 flex flex-wrap gap-x-3 text-xs text-soft">
            <span>{kinds[token.kind] ?? token.kind}</span>
            {token.kind !== "agent" && <span>{role}</span>}
            {token.acts_for != null && (
              <span>
                <Say text={say.tokens.actsFor} values={{ who: <Name text={token.acts_for} /> }} />
              </span>
            )}
            {token.groups.length > 0 && <Name text={token.groups.join(", ")} />}
            <span>
              <Say text={say.tokens.made} values={{ when: <Ago at={token.created_at} /> }} />
            </span>
          </p>
        </div>
        <Button
          look="stop"
          aria-label={fill(sure ? say.tokens.revokeSure : say.tokens.revokeOf, { name: token.name })}
          disabled={revoke.isPending}
          aria-busy={revoke.isPending}
          onBlur={() => setSure(false)}
          onClick={() => (sure ? revoke.mutate(token.id) : setSure(true))}
        >
          {sure ? say.tokens.sure : say.tokens.revoke}
        </Button>
      </div>
      {revoke.error !== null && (
        <div className="mt-2">
          <Failure title={say.tokens.revokeFailed} error={revoke.error} />
        </div>
      )}
    </>
  );
}
