// Every word of `en-inbox.ts`, in simplified Chinese.

import type { InboxMessages } from "./messages";

export const zhInbox: InboxMessages = {
  inbox: {
    title: "待办",
    waiting: { other: "{count} 个请求待处理" },
    empty: "没有等待您处理的请求",
    emptyText: "当策略要求由人查看某个调用，或智能体提出问题时，会自动出现在这里。",
    startRun: "启动运行",
    choose: "请在左侧选择一个请求查看详情。",
    list: "待处理的请求，最先到期的在最上面",
    failed: "无法读取待办",
    back: "全部待办",
    next: "查看下一个",
    none: "没有这个请求",
    noneText: "它可能属于其他人，或在另一台服务器上。",
    detailFailed: "无法读取此请求",
    forUser: "代表 {user}",
    quorum: "批准 {given}/{needed}",
  },
};
