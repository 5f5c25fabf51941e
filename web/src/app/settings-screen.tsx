// The settings, with who is signed in among them.

import { SignedIn } from "@/features/session/signed-in";
import { SettingsPage } from "@/features/settings/settings-page";

export function SettingsScreen() {
  return <SettingsPage account={<SignedIn />} />;
}
