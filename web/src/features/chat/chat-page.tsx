// Talking to agents: the conversations, with one of them beside the list. On a phone one sees the list or the one.

import { Link } from "@tanstack/react-router";
import { say } from "@/messages";
import { buttonLook } from "@/ui/button";
import { Conversation, type RenderTurn } from "./conversation";
import { NewChat } from "./new-chat";
import { SessionList } from "./session-list";

export function ChatPage({ session, renderTurn }: { session?: string; renderTurn: RenderTurn }) {
  const chosen = session !== undefined;
  return (
    <div className="mx-auto grid w-full max-w-7xl grid-cols-[minmax(0,1fr)] gap-6 px-4 py-6 lg:grid-cols-[20rem_minmax(0,1fr)] lg:px-6">
      <div className={`max-lg:order-last ${chosen ? "max-lg:hidden" : ""}`}>
        <div className="lg:sticky lg:top-20 lg:-m-1 lg:max-h-[calc(100dvh-6rem)] lg:overflow-y-auto lg:p-1">
          <div className="mb-3 flex min-h-11 items-center justify-between gap-2 px-1">
            <h2 className="text-lg font-semibold tracking-tight">{say.chat.list}</h2>
            {chosen && (
              <Link to="/chat" activeOptions={{ exact: true }} className={buttonLook("plain")}>
                {say.chat.new}
              </Link>
            )}
          </div>
          <SessionList />
        </div>
      </div>
      <div className="min-w-0">
        <h1 className="sr-only">{say.chat.title}</h1>
        {chosen && (
          <Link
            to="/chat"
            activeOptions={{ exact: true }}
            className="mb-4 inline-flex min-h-11 items-center text-sm font-medium text-accent lg:hidden"
          >
            ← {say.chat.list}
          </Link>
        )}
        {chosen ? <Conversation key={session} session={session} renderTurn={renderTurn} /> : <NewChat />}
      </div>
    </div>
  );
}
