// What the screen for talking to agents says, in English, by the rules of `en.ts`.

export const enChat = {
  chat: {
    title: "Chat",
    list: "Conversations",
    listFailed: "The conversations could not be read",
    none: "None yet.",
    new: "New",
    turns: { one: "{count} turn", other: "{count} turns" },
    start: "Talk to an agent",
    startText: "What it may not do by itself is asked here, in the conversation, and in the inbox.",
    write: "Write to {agent}",
    placeholder: "What should it do?",
    failed: "This conversation could not be read",
    missing: "There is no such conversation",
    missingText: "It may belong to somebody else, or to another server.",
    earlier: "Show what was said before",
    said: "What was said",
    viewer: "You are signed in as a viewer: you can read, and say nothing.",
    notYours: "This is a conversation of {user}. Only they can go on with it.",
    turn: "A turn with {agent}",
    you: "Asked:",
    steps: { one: "{count} step", other: "{count} steps" },
    whole: "The whole run",
  },
};
