// What the screen about asking says, in English, by the rules of `en.ts`.

export const enInsights = {
  insights: {
    title: "Insights",
    text: "How often people were asked in the last {days} days, and what they said.",
    failed: "The record could not be read",
    more: "Only the newest 2,000 calls are counted.",
    empty: "Nobody was asked",
    emptyText: "As soon as the policy asks somebody about a call, it is counted here.",
    asked: "Asked",
    approved: "Approved",
    notApproved: "Rejected, expired or waiting",
    share: "Approved, of those answered",
    median: "Median wait",
    p95: "Wait of the slowest 5 %",
    expired: "Expired unanswered",
    nothing: "none yet",
    perDay: "Asks per day",
    asTable: "As a table",
    day: "Day",
    askers: "What asks most",
    askersText: "What is always approved may be worth a rule or a grant.",
    what: "Layer and name",
    ofDecided: "{approved} of {decided} answered",
    always: "always approved",
  },
};
