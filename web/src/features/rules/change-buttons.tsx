// The ways to change what a row of the policy shows.

import { fill, say } from "@/messages";
import { Button } from "@/ui/button";

type Props = { name: string; onOpen: (what: "edit" | "remove") => void };

export function ChangeButtons({ name, onOpen }: Props) {
  return (
    <div className="flex gap-2">
      <Button aria-label={fill(say.policy.editOf, { name })} onClick={() => onOpen("edit")}>
        {say.policy.edit}
      </Button>
      <Button look="stop" aria-label={fill(say.policy.removeOf, { name })} onClick={() => onOpen("remove")}>
        {say.policy.remove}
      </Button>
    </div>
  );
}
