// The language of the page.

import { useEffect, useId, useRef, useSyncExternalStore } from "react";
import { chosenLanguage, LANGUAGE_NAMES, LANGUAGES, type Language, onSpeak, say, speak, spoken } from "@/messages";
import { Choice, Choices } from "@/ui/choice";

/** Set while the page is drawn anew in another language: whoever chose it keeps their place. */
let justChosen = false;

export function LanguageChoice() {
  const name = useId();
  const place = useRef<HTMLDivElement>(null);
  const chosen = useSyncExternalStore(onSpeak, chosenLanguage);
  useEffect(() => {
    if (!justChosen) return;
    justChosen = false;
    place.current?.querySelector<HTMLElement>("input:checked")?.focus();
  }, []);
  const choose = (language: Language | undefined) => {
    const before = spoken();
    justChosen = true;
    speak(language);
    // The browser's own language, chosen by name, is spoken already: nothing is drawn anew.
    if (spoken() === before) justChosen = false;
  };
  return (
    <div ref={place}>
      <Choices kind="one" legend={say.settings.language}>
        <Choice
          kind="one"
          name={name}
          chosen={chosen === undefined}
          onChoose={() => choose(undefined)}
          label={say.settings.languageBrowser}
        />
        {LANGUAGES.map((language) => (
          <Choice
            key={language}
            kind="one"
            name={name}
            chosen={chosen === language}
            onChoose={() => choose(language)}
            label={<span lang={language}>{LANGUAGE_NAMES[language]}</span>}
          />
        ))}
      </Choices>
    </div>
  );
}
