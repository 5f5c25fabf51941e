// What the inbox says, in English, by the rules of `en.ts`.

export const enInbox = {
  inbox: {
    title: "Inbox",
    waiting: { one: "{count} question waits", other: "{count} questions wait" },
    empty: "Nothing waits for you",
    emptyText:
      "When the policy wants a person to look at a call, or an agent asks something, it appears here by itself.",
    startRun: "Start a run",
    choose: "Choose a question on the left to see what it is about.",
    list: "Questions that wait, the one that ends first on top",
    failed: "The inbox could not be read",
    back: "All that wait",
    next: "Look at the next one",
    none: "There is no such question",
    noneText: "It may belong to somebody else, or to another server.",
    detailFailed: "This question could not be read",
    forUser: "for {user}",
    quorum: "{given} of {needed} approvals",
  },
};
