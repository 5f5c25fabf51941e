// May this call be made? Approve, approve and have it remembered, or reject with a reason.

import { say } from "@/messages";
import { Button } from "@/ui/button";
import { RememberForm } from "./remember-form";
import { Decide, useOpened, type WayProps, WordsForm, wrongReason } from "./way";

export function ApprovalWay({ interaction, answering }: WayProps) {
  const { opened, opener, back } = useOpened<"reject" | "remember">();
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
            className="flex-1 sm:flex-none"
          >
            {say.answer.approve}
          </Decide>
        )}
        {takes("reject") && (
          <Button
            {...opener("reject")}
            look="stop"
            className="min-w-32 flex-1 sm:flex-none"
            disabled={!answering.settled || answering.busy}
          >
            {say.answer.reject}…
          </Button>
        )}
        {approvable && interaction.remember_options.length > 0 && (
          <Button
            {...opener("remember")}
            className="max-sm:w-full sm:ml-auto"
            disabled={!answering.settled || answering.busy}
          >
            {say.answer.remember}…
          </Button>
        )}
      </div>
    </>
  );
}
