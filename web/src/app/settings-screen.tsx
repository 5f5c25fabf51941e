// The settings, with who is signed in and whose tokens there are among them.

import { roleWord } from "@/features/session/role";
import { SignedIn } from "@/features/session/signed-in";
import { SettingsPage } from "@/features/settings/settings-page";
import { TokensCard } from "@/features/settings/tokens-card";

export function SettingsScreen() {
  return <SettingsPage account={<SignedIn />} tokens={<TokensCard roleWord={roleWord} />} />;
}
