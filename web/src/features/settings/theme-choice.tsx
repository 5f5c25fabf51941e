// Light, dark, or as the system is.

import { useId } from "react";
import { say } from "@/messages";
import { Choice, Choices } from "@/ui/choice";
import { prefer, THEMES, usePreferences } from "@/ui/preferences";

export function ThemeChoice() {
  const name = useId();
  const { theme } = usePreferences();
  return (
    <Choices kind="one" columns={3} legend={say.settings.theme}>
      {THEMES.map((each) => (
        <Choice
          key={each}
          kind="one"
          name={name}
          chosen={theme === each}
          onChoose={() => prefer({ theme: each })}
          label={say.settings.themes[each]}
        />
      ))}
    </Choices>
  );
}
