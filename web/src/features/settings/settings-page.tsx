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
      <h1 className="px-1 text-lg font-semibold tracking-tight">{say.settings.title}</h1>
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
        <p className="px-4 py-3 text-sm text-soft sm:px-6">{say.settings.kept}</p>
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
