// The shape of a catalogue: English has it, and every other language has the same.

import type { en } from "./en";
import type { enChat } from "./en-chat";
import type { enInbox } from "./en-inbox";
import type { enInsights } from "./en-insights";
import type { enPolicy } from "./en-policy";
import type { enScreens } from "./en-screens";

/** A message with a form for each plural of the language. Not every language has a form of its own for one. */
export type Plural = { one?: string; other: string };

type Same<Texts> = Texts extends string
  ? string
  : Texts extends { one: string; other: string }
    ? Plural
    : { [Name in keyof Texts]: Same<Texts[Name]> };

/** What questions and runs say, and what every screen says. */
export type MainMessages = Same<typeof en>;

/** What the screens beside the inbox and the runs say. */
export type ScreenMessages = Same<typeof enScreens>;

/** What the screen for talking to agents says. */
export type ChatMessages = Same<typeof enChat>;

/** What the inbox says. */
export type InboxMessages = Same<typeof enInbox>;

/** What the screen about asking says. */
export type InsightsMessages = Same<typeof enInsights>;

/** What is said of the rest of the policy, and of an inbox that is very full. */
export type PolicyMessages = Same<typeof enPolicy>;

export type Messages = MainMessages & InboxMessages & ScreenMessages & ChatMessages & InsightsMessages & PolicyMessages;
