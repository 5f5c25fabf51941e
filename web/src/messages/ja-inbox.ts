// Every word of `en-inbox.ts`, in Japanese.

import type { InboxMessages } from "./messages";

export const jaInbox: InboxMessages = {
  inbox: {
    title: "受信箱",
    waiting: { other: "{count} 件が待機中" },
    empty: "待っているものはありません",
    emptyText: "ポリシーが人の確認を求めたとき、またはエージェントが質問したときに、ここに自動で表示されます。",
    startRun: "実行を開始",
    choose: "左の一覧から選ぶと内容が表示されます。",
    list: "待機中の依頼（期限の近い順）",
    failed: "受信箱を読み込めませんでした",
    back: "待機中の一覧",
    next: "次を見る",
    none: "この依頼はありません",
    noneText: "ほかの人のもの、または別のサーバーのものかもしれません。",
    detailFailed: "この依頼を読み込めませんでした",
    forUser: "{user} の代行",
    quorum: "承認 {given}/{needed}",
  },
};
