// What the server says of a change while it is written.

import type { Wrong } from "@/api/client";
import { say } from "@/messages";
import { Name, Sentence } from "@/ui/seen";

export function Problems({ problems, fits }: { problems: Wrong[]; fits: boolean }) {
  return (
    <div role="status" data-problems={problems.length} className="text-sm">
      {fits && <p className="text-soft">{say.things.fits}</p>}
      {problems.length > 0 && <WrongList problems={problems} />}
    </div>
  );
}

/** Each with its place. */
export function WrongList({ problems }: { problems: Wrong[] }) {
  return (
    <ul className="space-y-1 text-sm text-stop">
      {problems.map(({ place, text }) => (
        <li key={`${place} ${text}`} className="wrap-anywhere">
          {place !== "" && (
            <code className="mr-2 font-mono text-xs font-semibold">
              <Name text={place} />
            </code>
          )}
          <Sentence text={text} />
        </li>
      ))}
    </ul>
  );
}
