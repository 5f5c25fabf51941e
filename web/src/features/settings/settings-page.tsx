// What somebody prefers on this page, and who they are.

import type { ReactNode } from "react";
import { say } from "@/messages";
import { Card } from "@/ui/card";
import { LanguageChoice } from "./language-choice";
import { NewsChoice } from "./news-choice";
import { ThemeChoice } from "./theme-choice";

export function SettingsPage({ account, tokens }: { account: ReactNode; tokens: ReactNode }) {
  return (
    <div className="mx-auto w-full max-w-3xl space-y-6 px-4 py-6 lg:px-6">
      <header className="px-1">
        <h1 className="text-lg font-semibold tracking-tight">{say.settings.title}</h1>
        <p className="text-sm text-soft">{say.settings.kept}</p>
      </header>
      <Card className="divide-y divide-line">
        <div className="p-4 sm:p-6">
          <LanguageChoice />
        </div>
        <div className="p-4 sm:p-6">
          <ThemeChoice />
        </div>
        <div className="p-4 sm:p-6">
          <NewsChoice />
        </div>
      </Card>
      <Card className="p-4 sm:p-6">{account}</Card>
      {tokens}
      <p className="px-1 text-sm text-soft">
        <a className="underline" href="/api/docs">
          {say.settings.api}
        </a>
      </p>
    </div>
  );
}
