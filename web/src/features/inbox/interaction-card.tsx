// One question that waits. What it is about always comes in the same order: what will happen or has happened, what it
// touches, how dangerous it is, why somebody is asked, who asks, what was said and decided before, the exact call; then the
// answers. A question in an agent's own words comes before everything else, and is marked as theirs.

import { type ReactNode, useEffect, useRef } from "react";
import type { About, Interaction } from "@/api/client";
import { say } from "@/messages";
import { Badge } from "@/ui/badge";
import { Card, Fold, Part } from "@/ui/card";
import { Code, HiddenNotice } from "@/ui/code";
import { Failure, Loading, Notice } from "@/ui/notice";
import { Passage } from "@/ui/passage";
import { Say } from "@/ui/say";
import { Name } from "@/ui/seen";
import { Drawn, Past, Said } from "./about";
import { Advice } from "./advice";
import { AnswerBar } from "./answer-bar";
import { Danger, Effect, Exact, Where, Who } from "./call-parts";
import { Headline, ownWords } from "./headline";
import { useAbout, useInteraction } from "./interaction";
import { Preview } from "./preview";
import { useReadThrough } from "./read-through";
import { Reasons } from "./reasons";

type Props = {
  id: string;
  known?: Interaction;
  /** Whether it is what the page is about, and so takes the focus. */
  alone?: boolean;
  missing?: ReactNode;
};

export function InteractionCard({ id, known, alone = false, missing }: Props) {
  const { data, error, refetch } = useInteraction(id, known);
  if (data === undefined) {
    if (error === null) return <Loading />;
    const gone = "status" in error && error.status === 404;
    if (gone && missing) return missing;
    return <Failure title={say.inbox.detailFailed} error={error} onRetry={refetch} />;
  }
  // Another question is another card: nothing typed or half pressed moves over to it.
  return <Question key={id} interaction={data} alone={alone} />;
}

function Question({ interaction, alone }: { interaction: Interaction; alone: boolean }) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (alone) title.current?.focus({ preventScroll: true });
  }, [alone]);
  const inWords = interaction.purpose === "question";
  const card = useRef<HTMLElement>(null);
  const { data: about, error, refetch } = useAbout(interaction.id);
  const reading = useReadThrough(interaction, card, about === undefined ? "partly" : "whole");
  return (
    <article
      ref={card}
      data-interaction={interaction.id}
      data-status={interaction.status}
      data-purpose={interaction.purpose}
    >
      <Card>
        <div className="space-y-6 p-4 sm:p-6">
          <header>
            <h2
              ref={title}
              tabIndex={-1}
              className="text-xl font-semibold tracking-tight text-balance wrap-anywhere sm:text-2xl"
            >
              <Headline interaction={interaction} />
            </h2>
            {!inWords && <Where call={interaction.call} />}
          </header>
          {inWords ? <OwnWords interaction={interaction} /> : <Matter interaction={interaction} about={about} />}
          {about === undefined && error !== null && (
            <Failure title={say.inbox.detailFailed} error={error} onRetry={refetch} />
          )}
          <span data-end aria-hidden="true" className="block h-px" />
          <Advice interaction={interaction} />
        </div>
        <AnswerBar
          interaction={interaction}
          place={alone && !inWords ? "in-sight" : "at-end"}
          reading={reading}
          whole={about === undefined && error === null ? "partly" : "whole"}
        />
        {inWords && (
          <div className="border-t border-line px-4 py-3 sm:px-6">
            <Fold summary={say.call.details}>
              <div className="space-y-6 pb-2">
                <Circumstances interaction={interaction} about={about} />
              </div>
            </Fold>
          </div>
        )}
      </Card>
    </article>
  );
}

type MatterProps = { interaction: Interaction; about: About | null | undefined };

function Matter({ interaction, about }: MatterProps) {
  const { call, purpose } = interaction;
  return (
    <>
      {purpose === "uncertain_outcome" && (
        <Notice tone="warn" title={say.call.uncertain}>
          {say.call.uncertainText}
        </Notice>
      )}
      {purpose === "result_review" && <Result interaction={interaction} />}
      {purpose === "approval" ? (
        <>
          <Effect call={call} />
          {about && <Drawn about={about} />}
          <Preview interaction={interaction} />
        </>
      ) : (
        <Part title={say.call.theCall}>
          <Effect call={call} />
        </Part>
      )}
      <Danger call={call} />
      {purpose === "approval" ? (
        <Part title={say.call.why}>
          <Reasons reasons={interaction.reasons} />
        </Part>
      ) : (
        <Fold summary={say.call.policy}>
          <Reasons reasons={interaction.reasons} />
        </Fold>
      )}
      <Circumstances interaction={interaction} about={about} />
    </>
  );
}

function Circumstances({ interaction, about }: MatterProps) {
  return (
    <>
      <Part title={say.call.who}>
        <Who interaction={interaction} chain={about?.chain ?? []} />
      </Part>
      {about && <Said about={about} agent={interaction.asked_by.agent} />}
      {about && <Past about={about} />}
      <Part title={say.call.exact}>
        <Exact call={interaction.call} />
      </Part>
    </>
  );
}

/** What a tool gave, before the agent has seen it. */
function Result({ interaction }: { interaction: Interaction }) {
  const { result } = interaction;
  if (result == null) return null;
  return (
    <div className="space-y-3">
      {result.failed && <Badge tone="stop">{say.call.toolFailed}</Badge>}
      <HiddenNotice texts={[result.output]} />
      {result.output === "" ? (
        <p className="text-sm text-soft">{say.call.gaveNothing}</p>
      ) : (
        <Code text={result.output} label={result.failed ? say.call.gaveFailed : say.call.gave} strictness="laid-out" />
      )}
    </div>
  );
}

/** What an agent asks, set apart: nobody has checked it. */
function OwnWords({ interaction }: { interaction: Interaction }) {
  const { title, description } = ownWords(interaction);
  const values = { agent: <Name text={interaction.asked_by.agent} />, tool: <Name text={interaction.call.tool} /> };
  return (
    <figure className="border-l-2 border-info pl-4">
      <blockquote className="space-y-1.5 wrap-anywhere">
        <div className="text-lg font-semibold">
          <Passage text={title} />
        </div>
        {description !== undefined && <Passage text={description} />}
      </blockquote>
      <figcaption className="mt-2 text-xs text-soft">
        <Say text={say.call.ownWords} values={values} />
      </figcaption>
    </figure>
  );
}
