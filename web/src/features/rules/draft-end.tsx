// How a draft of the policy ends: why, what is wrong with it, and what it would do before it can be saved.

import { say } from "@/messages";
import { Field } from "@/ui/field";
import type { useProblems, useTrial, Wish } from "./policy";
import { Problems } from "./problems";
import { Trial, TryOut } from "./trial";

type Props = {
  reason: string;
  onReason: (reason: string) => void;
  written: ReturnType<typeof useProblems>;
  trial: ReturnType<typeof useTrial>;
  wish: () => Wish | undefined;
  version: string | undefined;
  onDone: () => void;
};

export function DraftEnd({ reason, onReason, written, trial, wish, version, onDone }: Props) {
  return (
    <>
      <Field label={say.policy.reason} optional>
        {(given) => (
          <input {...given} maxLength={2500} value={reason} onChange={(event) => onReason(event.target.value)} />
        )}
      </Field>
      <Problems problems={written.problems} fits={written.fits} />
      <TryOut trial={trial} onDone={onDone} />
      <Trial trial={trial} wish={wish} version={version} onDone={onDone} />
    </>
  );
}
