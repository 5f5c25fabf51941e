// What a change would do to earlier calls, and the way to make it.

import { type DryRun, Problem } from "@/api/client";
import { fill, many, say } from "@/messages";
import { Badge, type Tone } from "@/ui/badge";
import { Button } from "@/ui/button";
import { Fold } from "@/ui/card";
import { Failure } from "@/ui/notice";
import { Seen, Sentence } from "@/ui/seen";
import { useSave, type useTrial, type Wish } from "./policy";
import { WrongList } from "./problems";

type TryOutProps = {
  trial: ReturnType<typeof useTrial>;
  /** What trying it out does, where no form is sent. */
  onTry?: () => void;
  onDone: () => void;
};

/** The way to see what a change would do, and the way back. */
export function TryOut({ trial: { isPending }, onTry, onDone }: TryOutProps) {
  return (
    <div className="flex flex-wrap gap-3">
      <Button
        type={onTry === undefined ? "submit" : "button"}
        disabled={isPending}
        aria-busy={isPending}
        onClick={onTry}
      >
        {isPending ? say.policy.trying : say.policy.tryOut}
      </Button>
      <Button look="quiet" onClick={onDone}>
        {say.policy.cancel}
      </Button>
    </div>
  );
}

type Props = {
  trial: ReturnType<typeof useTrial>;
  /** The change as it stands now. */
  wish: () => Wish | undefined;
  version: string | undefined;
  onDone: () => void;
};

export function Trial({ trial, wish, version, onDone }: Props) {
  const save = useSave();
  const make = () => {
    const wanted = wish();
    if (wanted !== undefined && !save.isPending) save.mutate({ wish: wanted, version }, { onSuccess: onDone });
  };
  const removes = trial.variables?.kind === "remove";
  return (
    <div aria-live="polite" className="space-y-4">
      {trial.error !== null && <Refused title={say.policy.tryFailed} error={trial.error} />}
      {trial.data !== undefined && (
        <>
          <Told result={trial.data} />
          {save.error !== null && <Refused title={say.policy.saveFailed} error={save.error} />}
          <Button look={removes ? "stop" : "go"} disabled={save.isPending} aria-busy={save.isPending} onClick={make}>
            {save.isPending ? say.policy.saving : removes ? say.policy.saveRemoval : say.policy.save}
          </Button>
        </>
      )}
    </div>
  );
}

/** Why the server does not take it, place by place. */
function Refused({ title, error }: { title: string; error: unknown }) {
  const wrong = error instanceof Problem ? error.wrong : [];
  return (
    <>
      <Failure title={title} error={error} />
      {wrong.length > 0 && <WrongList problems={wrong} />}
    </>
  );
}

const LISTS: ["allowed" | "asked" | "denied", Tone][] = [
  ["asked", "warn"],
  ["allowed", "calm"],
  ["denied", "stop"],
];

function Told({ result }: { result: DryRun }) {
  const { looked_at, masked, would_now_be, examples } = result;
  const changed = LISTS.filter(([list]) => would_now_be[list].length > 0);
  return (
    <section
      data-trial
      data-looked-at={looked_at}
      data-allowed={would_now_be.allowed.length}
      data-asked={would_now_be.asked.length}
      data-denied={would_now_be.denied.length}
      className="space-y-3 rounded-lg bg-sunk p-4"
    >
      {looked_at === 0 ? (
        <p className="text-sm">{say.policy.trialNone}</p>
      ) : (
        <p className="flex flex-wrap items-center gap-2 text-sm">
          <span className="font-semibold">{many(say.policy.trial, looked_at)}</span>
          {changed.length === 0 && say.policy.same}
          {changed.map(([list, tone]) => (
            <Badge key={list} tone={tone}>
              {many(say.policy.wouldBe[list], would_now_be[list].length)}
            </Badge>
          ))}
        </p>
      )}
      {masked > 0 && <p className="text-xs text-soft">{many(say.policy.masked, masked)}</p>}
      {examples.length > 0 && (
        <Fold summary={say.policy.examples}>
          <ul className="divide-y divide-line">
            {examples.slice(0, 20).map((example) => (
              <li key={example.call_id} className="py-2">
                <p className="exact text-sm">
                  <Seen text={example.resource ?? example.tool} strictness="exact" />
                </p>
                <p className="text-xs text-soft">
                  {fill(say.policy.becomes, { before: word(example.before), after: word(example.after) })}
                  {" · "}
                  <Sentence text={example.why} />
                </p>
              </li>
            ))}
          </ul>
        </Fold>
      )}
    </section>
  );
}

function word({ verdict, by, mode }: DryRun["examples"][number]["before"]): string {
  const verdicts: Record<string, string> = say.policy.verdicts;
  const effects: Record<string, string> = say.policy.effects;
  // An ask that only a person answers has a name of its own.
  if (verdict === "ask" && by === "human" && mode === "always") return effects.require_human ?? verdict;
  if (verdict === "ask" && by === "second_person") return effects.second_person ?? verdict;
  return verdicts[verdict] ?? verdict;
}
