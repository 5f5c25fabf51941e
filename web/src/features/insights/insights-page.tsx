// What asking costs and brings: how often people are asked, how long it takes, and what could be a rule.

import { now } from "@/api/clock";
import { fill, number, say, span } from "@/messages";
import { Badge } from "@/ui/badge";
import { Card } from "@/ui/card";
import { Empty, Failure, Loading } from "@/ui/notice";
import { Name } from "@/ui/seen";
import { AlwaysList } from "./always-list";
import { Bars } from "./bars";
import { useLately } from "./calls";
import { type Asker, DAYS, type Figures, figuresOf, OFTEN } from "./figures";

export function InsightsPage() {
  const { data, error, refetch } = useLately();
  return (
    <div className="mx-auto w-full max-w-5xl space-y-6 px-4 py-6 lg:px-6">
      <header className="px-1">
        <h1 className="text-lg font-semibold tracking-tight">{say.insights.title}</h1>
        <p className="text-sm text-soft">{fill(say.insights.text, { days: DAYS })}</p>
      </header>
      {data === undefined ? (
        error === null ? (
          <Loading />
        ) : (
          <Failure title={say.insights.failed} error={error} onRetry={refetch} />
        )
      ) : (
        <>
          <Found figures={figuresOf(data.calls, now())} />
          {data.more && <p className="px-1 text-sm text-soft">{say.insights.more}</p>}
        </>
      )}
    </div>
  );
}

function Found({ figures }: { figures: Figures }) {
  if (figures.asked === 0) return <Empty title={say.insights.empty}>{say.insights.emptyText}</Empty>;
  const { asked, decided, approved, expired, median, p95 } = figures;
  const share = decided === 0 ? say.insights.nothing : `${number(Math.round((approved / decided) * 100))} %`;
  const wait = (time: number | undefined) => (time === undefined ? say.insights.nothing : span(time));
  const facts: [name: string, value: string][] = [
    [say.insights.asked, number(asked)],
    [say.insights.share, share],
    [say.insights.median, wait(median)],
    [say.insights.p95, wait(p95)],
    [say.insights.expired, number(expired)],
  ];
  return (
    <>
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-5">
        {facts.map(([name, value]) => (
          <Card key={name} className="flex flex-col-reverse justify-end p-4">
            <dt className="text-xs text-soft">{name}</dt>
            <dd data-figure={name} className="text-2xl font-semibold tracking-tight tabular-nums">
              {value}
            </dd>
          </Card>
        ))}
      </dl>
      <Card className="p-4 sm:p-6">
        <h2 className="mb-4 font-semibold">{say.insights.perDay}</h2>
        <Bars days={figures.days} />
      </Card>
      <Card className="p-4 sm:p-6">
        <h2 className="font-semibold">{say.insights.askers}</h2>
        <p className="mb-4 text-sm text-soft">{say.insights.askersText}</p>
        <Askers askers={figures.askers} />
      </Card>
      <Card className="p-4 sm:p-6">
        <h2 className="font-semibold">{say.always.title}</h2>
        <p className="mb-4 text-sm text-soft">{fill(say.always.text, { least: number(OFTEN) })}</p>
        <AlwaysList always={figures.always} />
      </Card>
    </>
  );
}

function Askers({ askers }: { askers: Asker[] }) {
  const most = Math.max(1, ...askers.map(({ asked }) => asked));
  return (
    <table className="w-full text-left text-sm">
      <caption className="sr-only">{say.insights.askers}</caption>
      <thead className="text-xs text-soft">
        <tr>
          <th scope="col">{say.insights.what}</th>
          <th scope="col">{say.insights.asked}</th>
          <th scope="col">{say.insights.approved}</th>
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {askers.map(({ name, asked, decided, approved }) => (
          <tr key={name} data-asker={name}>
            <th scope="row" className="py-2.5 pr-4 font-medium wrap-anywhere">
              <Name text={name} />
              <span aria-hidden="true" className="mt-1 block h-1.5 rounded-full bg-sunk">
                <span className="block h-full rounded-full bg-accent" style={{ width: `${(asked / most) * 100}%` }} />
              </span>
            </th>
            <td className="pr-4 align-top tabular-nums py-2.5">{number(asked)}</td>
            <td className="align-top py-2.5">
              <span className="flex flex-wrap items-center gap-2 tabular-nums">
                {decided === 0
                  ? say.insights.nothing
                  : fill(say.insights.ofDecided, { approved: number(approved), decided: number(decided) })}
                {decided >= OFTEN && approved === decided && <Badge tone="info">{say.insights.always}</Badge>}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
