// What a call would do, as its tool drew it when the question was put: where a path leads, what would change in a file.

import type { Interaction, Preview as Shown } from "@/api/client";
import { fill, say } from "@/messages";
import { Code, HiddenNotice } from "@/ui/code";
import { Notice } from "@/ui/notice";
import { Say } from "@/ui/say";
import { Name, Seen } from "@/ui/seen";

export function Preview({ interaction }: { interaction: Interaction }) {
  const { preview, call } = interaction;
  if (preview == null) return null;
  // A path with characters that mean something in a pattern is said once too often, and none too seldom.
  const elsewhere = !call.resource?.endsWith(`(${preview.path})`);
  return (
    <div className="space-y-3">
      {elsewhere && <Leads path={preview.path} />}
      {preview.text != null && <Change preview={preview} text={preview.text} />}
    </div>
  );
}

/** Said only where the path in the call is not the one it leads to. */
function Leads({ path }: { path: string }) {
  const shown = (
    <code className="font-mono wrap-anywhere">
      <Name text={path} />
    </code>
  );
  return (
    <p className="rounded-md border border-warn-line bg-warn-soft px-3 py-2 text-sm font-medium text-warn">
      <Say text={say.preview.leads} values={{ path: shown }} />
    </p>
  );
}

function Change({ preview, text }: { preview: Shown; text: string }) {
  if (preview.kind !== "diff") {
    return (
      <Notice tone="warn" title={say.preview.note}>
        <Seen text={text} />
      </Notice>
    );
  }
  return (
    <>
      <HiddenNotice texts={[text]} />
      <Code text={text} label={fill(say.preview.diff, { path: preview.path })}>
        <Lines text={text} />
      </Code>
      <p className="text-xs text-soft">{say.preview.bound}</p>
    </>
  );
}

/** Each line in the colour of its kind; the sign at its start says the same. */
function Lines({ text }: { text: string }) {
  const lines = text.endsWith("\n") ? text.slice(0, -1).split("\n") : text.split("\n");
  return lines.map((line, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one text never change places
    <span key={index} className={`block px-1 ${colour(line, index)}`}>
      {line === "" ? "\n" : <Seen text={line} strictness="laid-out" />}
    </span>
  ));
}

/** The first two lines name the two sides, and so start with the signs of others. */
function colour(line: string, index: number): string {
  if (index < 2 || /^(@@|\\|\[…)/.test(line)) return "text-soft";
  if (line.startsWith("+")) return "bg-calm-soft";
  if (line.startsWith("-")) return "bg-stop-soft";
  return "";
}
