// Something of the policy to be taken away: what that would change, and then the way to do it.

import { fill, say } from "@/messages";
import { Button } from "@/ui/button";
import { useTrial, type Wish } from "./policy";
import { Trial } from "./trial";

type Props = { wish: Wish; version: string | undefined; onDone: () => void };

export function RemoveThing({ wish, version, onDone }: Props) {
  const trial = useTrial();
  const heading = fill(say.policy.removeTitle, { name: wish.name });
  return (
    <section aria-label={heading} className="mt-3 space-y-4 rounded-lg border border-line p-4">
      <h3 className="text-sm font-semibold wrap-anywhere">{heading}</h3>
      <div className="flex flex-wrap gap-3">
        <Button disabled={trial.isPending} aria-busy={trial.isPending} onClick={() => trial.mutate(wish)}>
          {trial.isPending ? say.policy.trying : say.policy.tryOut}
        </Button>
        <Button look="quiet" onClick={onDone}>
          {say.policy.cancel}
        </Button>
      </div>
      <Trial trial={trial} wish={() => wish} version={version} onDone={onDone} />
    </section>
  );
}
