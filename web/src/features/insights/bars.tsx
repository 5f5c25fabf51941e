// Asks per day, drawn; and the same as a table for whoever does not look at pictures.

import { number, say } from "@/messages";
import { Fold } from "@/ui/card";
import type { Day } from "./figures";

const HEIGHT = 120;
const WIDTH = 40;

export function Bars({ days }: { days: Day[] }) {
  const highest = Math.max(1, ...days.map(({ asked }) => asked));
  const high = (count: number) => (count / highest) * HEIGHT;
  return (
    <figure className="space-y-3">
      <svg
        aria-hidden="true"
        viewBox={`0 0 ${days.length * WIDTH} ${HEIGHT + 34}`}
        className="w-full text-soft"
        data-bars={days.length}
      >
        {days.map(({ day, asked, approved }, place) => (
          <g key={day} transform={`translate(${place * WIDTH} 16)`}>
            <rect x="6" y={HEIGHT - 1} width={WIDTH - 12} height="1" className="fill-line-strong" />
            <rect x="6" y={HEIGHT - high(asked)} width={WIDTH - 12} height={high(asked)} rx="3" className="fill-line" />
            <rect
              x="6"
              y={HEIGHT - high(approved)}
              width={WIDTH - 12}
              height={high(approved)}
              rx="3"
              className="fill-go"
            />
            {asked > 0 && (
              <text x={WIDTH / 2} y={HEIGHT - high(asked) - 4} textAnchor="middle" className="fill-current text-[11px]">
                {number(asked)}
              </text>
            )}
            <text x={WIDTH / 2} y={HEIGHT + 14} textAnchor="middle" className="fill-current text-[10px]">
              {day.slice(5)}
            </text>
          </g>
        ))}
      </svg>
      <figcaption className="flex flex-wrap gap-x-5 gap-y-1 text-xs text-soft">
        <Key look="bg-go" word={say.insights.approved} />
        <Key look="bg-line" word={say.insights.notApproved} />
      </figcaption>
      <Fold summary={say.insights.asTable}>
        <table className="w-full text-left text-sm tabular-nums">
          <caption className="sr-only">{say.insights.perDay}</caption>
          <thead className="text-xs text-soft">
            <tr>
              <th scope="col">{say.insights.day}</th>
              <th scope="col">{say.insights.asked}</th>
              <th scope="col">{say.insights.approved}</th>
            </tr>
          </thead>
          <tbody>
            {days.map(({ day, asked, approved }) => (
              <tr key={day}>
                <th scope="row" className="py-0.5 font-normal">
                  {day}
                </th>
                <td>{number(asked)}</td>
                <td>{number(approved)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Fold>
    </figure>
  );
}

function Key({ look, word }: { look: string; word: string }) {
  return (
    <span className="flex items-center gap-2">
      <span aria-hidden="true" className={`size-2.5 rounded-sm ${look}`} />
      {word}
    </span>
  );
}
