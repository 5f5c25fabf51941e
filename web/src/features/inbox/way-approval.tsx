// May this call be made? Approve, approve and have it remembered, approve it with other arguments, answer in the tool's
// place, or reject with a reason.

import { objectOf } from "@/api/json";
import { say } from "@/messages";
import { Button } from "@/ui/button";
import { visibleJson } from "@/ui/hidden";
import { UNSEEN } from "./read-through";
import { RememberForm } from "./remember-form";
import { Decide, useOpened, type WayProps, WordsForm, wrongReason } from "./way";

export function ApprovalWay({ interaction, answering }: WayProps) {
  const { opened, opener, back } = useOpened<"reject" | "remember" | "edit" | "answer">();
  const takes = (decision: string) => interaction.allowed_decisions.includes(decision);
  const approvable = takes("approve") && !answering.already;
  if (opened === "reject") {
    return (
      <WordsForm
        busy={answering.busy}
        label={say.answer.reason}
        about={say.answer.reasonText}
        placeholder={say.answer.reasonPlaceholder}
        button={say.answer.rejectThis}
        busyButton={say.answer.rejecting}
        look="stop"
        wrong={wrongReason}
        onBack={back}
        onSend={(reason) => answering.decide({ decision: "reject", reason })}
      />
    );
  }
  if (opened === "remember" && approvable) {
    return <RememberForm interaction={interaction} answering={answering} onBack={back} />;
  }
  if (opened === "edit") {
    return (
      <WordsForm
        busy={answering.busy}
        label={say.answer.editArguments}
        about={say.answer.editText}
        button={say.answer.editThis}
        busyButton={say.answer.approving}
        look="go"
        rows={8}
        mono
        initial={visibleJson(interaction.call.args)}
        wrong={(text) => (objectOf(text) === undefined ? say.answer.editWrong : undefined)}
        onBack={back}
        onSend={(text) => answering.decide({ decision: "edit", edited_args: objectOf(text) ?? {} })}
      />
    );
  }
  if (opened === "answer") {
    return (
      <WordsForm
        busy={answering.busy}
        label={say.answer.inPlace}
        about={say.answer.inPlaceText}
        button={say.answer.inPlaceThis}
        busyButton={say.answer.sending}
        look="go"
        rows={4}
        wrong={(words) => (words.trim() === "" ? say.answer.inPlaceNeeded : undefined)}
        onBack={back}
        onSend={(text) => answering.decide({ decision: "answer", text })}
      />
    );
  }
  const closed = !answering.settled || answering.busy;
  const unseen = !answering.shown;
  const dimmed = unseen ? "opacity-50" : "";
  return (
    <>
      {answering.already && <p className="text-sm text-soft">{say.answer.youApproved}</p>}
      <div className="flex flex-wrap gap-3">
        {approvable && (
          <Decide
            answering={answering}
            given={{ decision: "approve" }}
            look="go"
            busy={say.answer.approving}
            className={`flex-1 sm:flex-none ${dimmed}`}
            data-key="a"
            disabled={unseen}
            aria-describedby={unseen ? UNSEEN : undefined}
          >
            {say.answer.approve}
          </Decide>
        )}
        {takes("reject") && (
          <Button
            {...opener("reject")}
            data-key="r"
            look="stop"
            className="min-w-32 flex-1 sm:flex-none"
            disabled={closed}
          >
            {say.answer.reject}…
          </Button>
        )}
        {takes("edit") && (
          <Button
            {...opener("edit")}
            data-key="e"
            className={`flex-1 sm:flex-none ${dimmed}`}
            disabled={unseen || closed}
          >
            {say.answer.edit}…
          </Button>
        )}
        {takes("answer") && (
          <Button {...opener("answer")} className="flex-1 sm:flex-none" disabled={closed}>
            {say.answer.inPlaceButton}…
          </Button>
        )}
        {approvable && interaction.remember_options.length > 0 && (
          <Button {...opener("remember")} className={`max-sm:w-full sm:ml-auto ${dimmed}`} disabled={unseen || closed}>
            {say.answer.remember}…
          </Button>
        )}
      </div>
    </>
  );
}
