// The conversations so far, the one that was last spoken in on top.

import { Link } from "@tanstack/react-router";
import { many, say } from "@/messages";
import { Button } from "@/ui/button";
import { Failure, Loading } from "@/ui/notice";
import { Name, Seen } from "@/ui/seen";
import { Ago } from "@/ui/time";
import { useNewest, useSessions } from "./sessions";

export function SessionList() {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useSessions();
  if (data === undefined) {
    return error === null ? <Loading /> : <Failure title={say.chat.listFailed} error={error} onRetry={refetch} />;
  }
  const sessions = data.pages.flatMap((page) => page.items);
  if (sessions.length === 0) return <p className="px-1 text-sm text-soft">{say.chat.none}</p>;
  return (
    <>
      <ul aria-label={say.chat.list} className="space-y-2">
        {sessions.map((session) => (
          <li key={session.id}>
            <Item session={session} />
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <Button className="mt-3" disabled={isFetchingNextPage} onClick={() => fetchNextPage()}>
          {say.app.more}
        </Button>
      )}
    </>
  );
}

type Session = { id: string; runs: number; newest_run_id: string; updated_at: string };

function Item({ session }: { session: Session }) {
  const { data: newest } = useNewest(session.newest_run_id);
  return (
    <Link
      to="/chat/$session"
      params={{ session: session.id }}
      data-session={session.id}
      className="block rounded-xl border border-line bg-card px-4 py-3 transition-colors hover:border-line-strong"
      activeProps={{ className: "border-accent! ring-1 ring-accent", "aria-current": "page" }}
    >
      <span className="line-clamp-2 min-h-6 text-[0.9375rem] font-medium wrap-anywhere">
        {newest && <Seen text={newest.input.slice(0, 300)} />}
      </span>
      <span className="mt-1.5 flex items-center justify-between gap-3 text-xs text-soft">
        <span className="min-w-0 truncate">
          {newest && (
            <>
              <Name text={newest.agent} /> ·{" "}
            </>
          )}
          {many(say.chat.turns, session.runs)}
        </span>
        <Ago at={session.updated_at} />
      </span>
    </Link>
  );
}
