// Whether a new question makes itself heard.

import { useId, useState } from "react";
import { say } from "@/messages";
import { Button } from "@/ui/button";
import { playChime } from "@/ui/chime";
import { Choice, Choices } from "@/ui/choice";
import { prefer, usePreferences } from "@/ui/preferences";

export function NewsChoice() {
  const name = useId();
  const { notify, sound } = usePreferences();
  const [permission, setPermission] = useState(permissionNow);
  const toggleNotify = async () => {
    if (notify) return prefer({ notify: false });
    if (permission === "missing") return;
    const given = await Notification.requestPermission();
    setPermission(given);
    prefer({ notify: given === "granted" });
  };
  const told = { missing: say.settings.notifyMissing, denied: say.settings.notifyDenied, granted: "", default: "" };
  return (
    <>
      <Choices kind="several" legend={say.settings.news}>
        <Choice
          kind="several"
          name={`${name}-notify`}
          chosen={notify && permission === "granted"}
          onChoose={toggleNotify}
          label={say.settings.notify}
        >
          {say.settings.notifyText}
        </Choice>
        <Choice
          kind="several"
          name={`${name}-sound`}
          chosen={sound}
          onChoose={() => prefer({ sound: !sound })}
          label={say.settings.sound}
        >
          {say.settings.soundText}
        </Choice>
      </Choices>
      <p role="status" className="mt-2 text-sm font-medium text-warn empty:hidden">
        {told[permission]}
      </p>
      <Button className="mt-3" onClick={playChime}>
        {say.settings.soundTry}
      </Button>
    </>
  );
}

/** What the browser lets the page do; some have nothing of the kind. */
function permissionNow(): NotificationPermission | "missing" {
  return typeof Notification === "undefined" ? "missing" : Notification.permission;
}
