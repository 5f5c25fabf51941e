// Every word of `en-insights.ts`, in simplified Chinese.

import type { InsightsMessages } from "./messages";

export const zhInsights: InsightsMessages = {
  insights: {
    title: "洞察",
    text: "过去 {days} 天中询问了多少次，结果如何。",
    failed: "无法读取记录",
    more: "只统计最新的 2,000 个调用。",
    empty: "没有询问过任何人",
    emptyText: "一旦策略就某个调用询问某人，就会计入这里。",
    asked: "询问",
    approved: "已批准",
    notApproved: "被拒绝、过期或等待中",
    share: "已答复中的批准率",
    median: "等待中位数",
    p95: "最慢 5% 的等待",
    expired: "无人答复而过期",
    nothing: "暂无",
    perDay: "每日询问",
    asTable: "以表格显示",
    day: "日期",
    askers: "询问最多的来源",
    askersText: "总是被批准的，也许值得写成规则或授权。",
    what: "层与名称",
    ofDecided: "{decided} 个已答复中批准 {approved} 个",
    always: "总是批准",
  },
};
