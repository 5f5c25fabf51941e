// Something of the policy to be taken away: what that would change, and then the way to do it.

import { fill, say } from "@/messages";
import { useTrial, type Wish } from "./policy";
import { Trial, TryOut } from "./trial";

type Props = { wish: Wish; version: string | undefined; onDone: () => void };

export function RemoveThing({ wish, version, onDone }: Props) {
  const trial = useTrial();
  const heading = fill(say.policy.removeTitle, { name: wish.name });
  return (
    <section aria-label={heading} className="mt-3 space-y-4 rounded-lg border border-line p-4">
      <h3 className="text-sm font-semibold wrap-anywhere">{heading}</h3>
      <TryOut trial={trial} onTry={() => trial.mutate(wish)} onDone={onDone} />
      <Trial trial={trial} wish={() => wish} version={version} onDone={onDone} />
    </section>
  );
}
