// The whole page.

import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode, useEffect, useState, useSyncExternalStore } from "react";
import { onSpeak, spoken, tag } from "@/messages";
import { makeQueries } from "./queries";
import { makeRouter } from "./router";

export function App() {
  const [queries] = useState(makeQueries);
  const [router] = useState(makeRouter);
  const language = useLanguage();
  return (
    <StrictMode>
      <QueryClientProvider client={queries}>
        {/* Every word changes with the language, so everything is drawn anew. */}
        <RouterProvider key={language} router={router} />
      </QueryClientProvider>
    </StrictMode>
  );
}

/** The language that is spoken. The page says so to whatever reads it out. */
function useLanguage(): string {
  const language = useSyncExternalStore(onSpeak, spoken);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the tag is that of the language
  useEffect(() => {
    document.documentElement.lang = tag();
  }, [language]);
  return language;
}
