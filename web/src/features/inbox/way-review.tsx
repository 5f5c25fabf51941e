// May the agent see this result? Release it, put something in its place, or withhold it with a reason.

import { say } from "@/messages";
import { Button } from "@/ui/button";
import { Decide, useOpened, type WayProps, WordsForm, wrongReason } from "./way";

export function ReviewWay({ interaction, answering }: WayProps) {
  const { opened, opener, back } = useOpened<"replace" | "withhold">();
  const takes = (decision: string) => interaction.allowed_decisions.includes(decision);
  if (opened === "replace") {
    return (
      <WordsForm
        busy={answering.busy}
        label={say.answer.replacement}
        about={say.answer.replacementText}
        button={say.answer.replaceThis}
        busyButton={say.answer.sending}
        look="go"
        rows={4}
        wrong={(words) => (words.trim() === "" ? say.answer.replacementNeeded : undefined)}
        {...(interaction.result?.output && {
          start: { text: interaction.result.output, label: say.answer.replacementFrom },
        })}
        onBack={back}
        onSend={(replacement) => answering.decide({ decision: "replace", replacement })}
      />
    );
  }
  if (opened === "withhold") {
    return (
      <WordsForm
        busy={answering.busy}
        label={say.answer.reason}
        about={say.answer.reasonText}
        placeholder={say.answer.withholdPlaceholder}
        button={say.answer.withholdThis}
        busyButton={say.answer.sending}
        look="stop"
        wrong={wrongReason}
        onBack={back}
        onSend={(reason) => answering.decide({ decision: "reject", reason })}
      />
    );
  }
  const closed = !answering.settled || answering.busy;
  return (
    <div className="flex flex-wrap gap-3">
      {takes("release") && (
        <Decide
          answering={answering}
          given={{ decision: "release" }}
          look="go"
          data-key="a"
          className="flex-1 sm:flex-none"
        >
          {say.answer.release}
        </Decide>
      )}
      {takes("replace") && (
        <Button {...opener("replace")} className="flex-1 sm:min-w-32 sm:flex-none" disabled={closed}>
          {say.answer.replace}…
        </Button>
      )}
      {takes("reject") && (
        <Button
          {...opener("withhold")}
          data-key="r"
          look="stop"
          className="flex-1 sm:min-w-32 sm:flex-none"
          disabled={closed}
        >
          {say.answer.withhold}…
        </Button>
      )}
    </div>
  );
}
