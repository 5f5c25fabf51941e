// Every word of `en-chat.ts`, in simplified Chinese.

import type { ChatMessages } from "./messages";

export const zhChat: ChatMessages = {
  chat: {
    title: "对话",
    list: "对话列表",
    listFailed: "无法读取对话",
    none: "还没有对话。",
    new: "新建",
    turns: { other: "{count} 轮" },
    start: "与智能体对话",
    startText: "它不能自行做的事会在对话中和待办中询问。",
    write: "写给 {agent}",
    placeholder: "它应该做什么？",
    failed: "无法读取此对话",
    missing: "没有这个对话",
    missingText: "它可能属于其他人，或在另一台服务器上。",
    earlier: "显示更早的内容",
    said: "对话内容",
    viewer: "您以查看者身份登录：可以阅读，不能发言。",
    notYours: "这是 {user} 的对话，只有本人可以继续。",
    turn: "与 {agent} 的一轮对话",
    you: "提问：",
    steps: { other: "{count} 步" },
    whole: "完整运行",
  },
};
