// Which of those that wait are shown.

import type { Interaction } from "@/api/client";
import { tellingLine } from "./headline";

/** Those in which all of the words occur: in what is asked, the tool, or who asks. */
export function matching(items: Interaction[], words: string): Interaction[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return items;
  return items.filter((item) => {
    const { call, asked_by } = item;
    // As the server looks for them, so that what it found is shown.
    const texts = Object.values(call.args).filter((value) => typeof value === "string");
    const whole = [
      tellingLine(item),
      call.resource ?? "",
      ...texts,
      item.title,
      call.server ?? "",
      call.tool,
      call.risk,
      asked_by.agent,
      asked_by.user_id ?? "",
    ]
      .join("\n")
      .toLowerCase();
    return wanted.every((word) => whole.includes(word));
  });
}
