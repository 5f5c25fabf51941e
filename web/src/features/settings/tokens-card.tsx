// Tokens: whose they are, new ones, and their end. For operators in person.

import { isOperator, useMe } from "@/api/me";
import { say } from "@/messages";
import { Card } from "@/ui/card";
import { MakeToken } from "./make-token";
import { TokenList } from "./token-list";

export function TokensCard({ roleWord }: { roleWord: (role: string) => string }) {
  const me = useMe().data;
  if (!isOperator(me) || me?.kind !== "user") return null;
  return (
    <Card className="p-4 sm:p-6">
      <section className="space-y-4" aria-labelledby="tokens">
        <div>
          <h2 id="tokens" className="text-sm font-semibold">
            {say.tokens.title}
          </h2>
          <p className="max-w-prose text-sm text-soft">{say.tokens.text}</p>
        </div>
        <TokenList roleWord={roleWord} />
        <MakeToken />
      </section>
    </Card>
  );
}
