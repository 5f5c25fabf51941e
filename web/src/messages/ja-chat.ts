// Every word of `en-chat.ts`, in Japanese.

import type { ChatMessages } from "./messages";

export const jaChat: ChatMessages = {
  chat: {
    title: "チャット",
    list: "会話",
    listFailed: "会話を読み込めませんでした",
    none: "まだありません。",
    new: "新規",
    turns: { other: "{count} 回のやり取り" },
    start: "エージェントと話す",
    startText: "エージェントだけで決められないことは、この会話と受信箱で確認されます。",
    write: "{agent} に書く",
    placeholder: "何をさせますか？",
    failed: "この会話を読み込めませんでした",
    missing: "その会話はありません",
    missingText: "ほかの人のもの、または別のサーバーのものかもしれません。",
    earlier: "以前のやり取りを表示",
    said: "やり取り",
    viewer: "閲覧者としてサインインしています。読むことはできますが、発言はできません。",
    notYours: "これは {user} の会話です。続けられるのは本人だけです。",
    turn: "{agent} とのやり取り",
    you: "依頼：",
    steps: { other: "{count} ステップ" },
    whole: "実行の全体",
  },
};
