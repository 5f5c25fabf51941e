// What stands around a question: what its call does part by part, what was said, and what was decided before.

import type { ReactNode } from "react";
import type { About } from "@/api/client";
import { say } from "@/messages";
import { Badge } from "@/ui/badge";
import { Facts, Part } from "@/ui/card";
import { Passage } from "@/ui/passage";
import { Say } from "@/ui/say";
import { Name, Seen } from "@/ui/seen";
import { By } from "./outcome";

type Props = { about: About };

/** What the call does, as the server takes it apart. */
export function Drawn({ about }: Props) {
  const facts = factsOf(about);
  const tells =
    about.commands.length > 1 || about.commands.some(({ reads, writes }) => reads.length + writes.length > 0);
  return (
    <>
      {facts.length > 0 && <Facts facts={facts} />}
      {tells && <Commands commands={about.commands} />}
      {about.unclear != null && (
        <p className="text-sm font-medium text-warn" data-unclear>
          <Say text={say.about.unclear} values={{ why: <Name text={about.unclear} /> }} />
        </p>
      )}
    </>
  );
}

/** Where it leads, whom it goes to, how much. */
function factsOf({ addresses, recipients, amount }: About): [string, ReactNode][] {
  const name = (text: string) => <Name key={text} text={text} />;
  const where = addresses.flatMap(({ scheme, host, port, path, odd }, place): [string, ReactNode][] => {
    // Facts are told apart by their names.
    const of = (what: string) => (addresses.length > 1 ? `${what} ${place + 1}` : what);
    return [
      [of(say.about.host), name(`${host ?? scheme}${port == null ? "" : `:${port}`}`)],
      [of(say.about.path), name(path)],
      ...(odd == null ? [] : [[of(say.about.odd), name(odd)] as [string, ReactNode]]),
    ];
  });
  const money: [string, ReactNode][] = amount == null ? [] : [[say.about.amount, name(amount)]];
  const to: [string, ReactNode][] =
    recipients.length === 0
      ? []
      : [[say.about.to, [...new Set(recipients)].map((one) => <div key={one}>{name(one)}</div>)]];
  return [...money, ...to, ...where];
}

function Commands({ commands }: { commands: About["commands"] }) {
  return (
    <Part title={say.about.parts}>
      <ol className="space-y-1.5 text-sm" data-commands>
        {commands.map(({ text, is_run, reads, writes }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the commands of one line never change places
          <li key={place} className="flex items-baseline gap-x-2.5">
            <span aria-hidden="true" className="w-5 shrink-0 text-right text-xs text-soft tabular-nums">
              {place + 1}
            </span>
            <span className="flex min-w-0 flex-wrap items-baseline gap-x-2.5 gap-y-1">
              <code className="exact min-w-0 text-[0.8125rem] wrap-anywhere">
                <Seen text={text} strictness="exact" />
              </code>
              {is_run && <Badge tone="neutral">{say.about.run}</Badge>}
              {[...new Set(reads)].map((file) => (
                <Badge key={`< ${file}`} tone="neutral">
                  <Say text={say.about.reads} values={{ file: <Name text={file} /> }} />
                </Badge>
              ))}
              {[...new Set(writes)].map((file) => (
                <Badge key={`> ${file}`} tone="warn">
                  <Say text={say.about.writes} values={{ file: <Name text={file} /> }} />
                </Badge>
              ))}
            </span>
          </li>
        ))}
      </ol>
    </Part>
  );
}

/** What people said to the agent, and what it says itself, which nobody has checked. */
export function Said({ about, agent }: Props & { agent: string }) {
  if (about.words.length === 0 && about.claim == null) return null;
  return (
    <Part title={say.about.said}>
      <div className="space-y-3 text-sm">
        {about.words.map(({ user_id, text }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: what was said never changes places
          <Quote key={place} who={<Say text={say.about.by} values={{ name: <Name text={user_id} /> }} />} text={text} />
        ))}
        {about.claim != null && (
          <Quote
            claim
            who={
              <>
                <Say text={say.about.claim} values={{ agent: <Name text={agent} /> }} />{" "}
                <Badge tone="warn">{say.about.unverified}</Badge>
              </>
            }
            text={about.claim}
          />
        )}
      </div>
    </Part>
  );
}

function Quote({ who, text, claim }: { who: ReactNode; text: string; claim?: true }) {
  return (
    <figure className="space-y-1" data-words={claim ? "claim" : "person"}>
      <figcaption className="text-xs text-soft">{who}</figcaption>
      <blockquote className={`border-l-2 pl-3 ${claim ? "border-warn-line text-soft italic" : "border-line"}`}>
        <Passage text={text} />
      </blockquote>
    </figure>
  );
}

/** What was decided about the very same call. */
export function Past({ about }: Props) {
  if (about.past.length === 0) return null;
  return (
    <Part title={say.about.past} aside={say.about.pastSame}>
      <ul className="space-y-1.5 text-sm" data-past>
        {about.past.map(({ interaction_id, answer }) => (
          <li key={interaction_id} className="wrap-anywhere">
            {answer != null && <By answer={answer} purpose="approval" />}
            {answer?.reason != null && (
              <span className="text-soft">
                {" "}
                · <Name text={answer.reason} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </Part>
  );
}
