// Times, as long as they are on screen.

import { useEffect, useState } from "react";
import { now } from "@/api/clock";
import { ago, date, timeOfDay } from "@/messages";

/** Now, by the server's clock, again every `every` milliseconds. */
export function useNow(every: number): number {
  const [time, setTime] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setTime(now()), every);
    return () => clearInterval(timer);
  }, [every]);
  return time;
}

/** `3 min. ago` */
export function Ago({ at }: { at: string }) {
  const time = useNow(5000);
  const then = Date.parse(at);
  return (
    <time dateTime={at} title={date(then)}>
      {ago(time - then)}
    </time>
  );
}

/** `14:03:22` */
export function At({ at }: { at: string }) {
  const then = Date.parse(at);
  return (
    <time dateTime={at} title={date(then)} className="tabular-nums">
      {timeOfDay(then)}
    </time>
  );
}
