// One conversation: its runs from the first to the last, and where to go on. All of it comes from the server, so that it
// is the same after the page was loaded again.

import type { ReactNode } from "react";
import { Problem, type Run } from "@/api/client";
import { mayAnswer, useMe } from "@/api/me";
import { say } from "@/messages";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Empty, Failure, Loading } from "@/ui/notice";
import { Say } from "@/ui/say";
import { Name } from "@/ui/seen";
import { Composer } from "./composer";
import { inOrder, useConversation } from "./sessions";

export type RenderTurn = (run: Run) => ReactNode;

export function Conversation({ session, renderTurn }: { session: string; renderTurn: RenderTurn }) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useConversation(session);
  if (data === undefined) {
    if (error === null) return <Loading />;
    const missing = error instanceof Problem && [400, 404].includes(error.status);
    return missing ? <Missing /> : <Failure title={say.chat.failed} error={error} onRetry={refetch} />;
  }
  const runs = inOrder(data.pages);
  const last = runs.at(-1);
  if (last === undefined) return <Missing />;
  return (
    <div className="space-y-6">
      {hasNextPage && (
        <Button disabled={isFetchingNextPage} onClick={() => fetchNextPage()}>
          {say.chat.earlier}
        </Button>
      )}
      <div role="log" aria-label={say.chat.said} className="space-y-8">
        {runs.map((run) => (
          <div key={run.id}>{renderTurn(run)}</div>
        ))}
      </div>
      <GoOn session={session} run={last} />
    </div>
  );
}

/** An agent knows only what the same person said to it before, so nobody goes on with what is somebody else's. */
function GoOn({ session, run }: { session: string; run: Run }) {
  const me = useMe().data;
  if (!mayAnswer(me)) return <p className="text-sm text-soft">{say.chat.viewer}</p>;
  if (run.user_id !== me?.name) {
    const user = run.user_id == null ? say.call.nobody : <Name text={run.user_id} />;
    return (
      <p className="text-sm text-soft">
        <Say text={say.chat.notYours} values={{ user }} />
      </p>
    );
  }
  // What waits for an answer must not lie below the field.
  const place = run.status === "waiting" ? "" : "sticky bottom-3";
  return (
    <Card className={`p-3 sm:p-4 ${place}`}>
      <Composer session={session} run={run} />
    </Card>
  );
}

function Missing() {
  return <Empty title={say.chat.missing}>{say.chat.missingText}</Empty>;
}
