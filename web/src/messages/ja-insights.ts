// Every word of `en-insights.ts`, in Japanese.

import type { InsightsMessages } from "./messages";

export const jaInsights: InsightsMessages = {
  insights: {
    title: "分析",
    text: "過去 {days} 日間の確認の回数とその結果です。",
    failed: "記録を読み込めませんでした",
    more: "最新の 2,000 件の呼び出しだけを数えています。",
    empty: "確認はありませんでした",
    emptyText: "ポリシーが呼び出しについて誰かに確認すると、ここに数えられます。",
    asked: "確認",
    approved: "承認",
    notApproved: "却下・期限切れ・待機中",
    share: "回答のうち承認",
    median: "待ち時間の中央値",
    p95: "遅い 5 % の待ち時間",
    expired: "回答なく期限切れ",
    nothing: "まだありません",
    perDay: "1 日あたりの確認",
    asTable: "表で表示",
    day: "日",
    askers: "確認の多いもの",
    askersText: "いつも承認されるものは、ルールや許可にする価値があるかもしれません。",
    what: "層と名前",
    ofDecided: "回答 {decided} 件中 {approved} 件",
    always: "常に承認",
  },
};
