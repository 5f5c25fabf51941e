// Talking to an agent, with the questions of its runs among what was said.

import { useParams } from "@tanstack/react-router";
import { ChatPage } from "@/features/chat/chat-page";
import { InteractionCard } from "@/features/inbox/interaction-card";
import { Turn } from "@/features/runs/turn";

export function ChatScreen() {
  const { session } = useParams({ strict: false });
  return (
    <ChatPage
      {...(session !== undefined && { session })}
      renderTurn={(run) => (
        <Turn run={run} renderInteraction={(known) => <InteractionCard id={known.id} known={known} />} />
      )}
    />
  );
}
