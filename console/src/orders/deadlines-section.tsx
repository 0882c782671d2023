import { useEffect, useState } from "react";
import { Time } from "../parts/time.tsx";
import { deadlinesOf, untilText } from "./deadlines.ts";
import type { OrderView } from "./order-queries.ts";

/** What happens by itself, and when. */
export function Deadlines({ view }: { view: OrderView }) {
  const now = useNow();
  const turns = deadlinesOf(view);
  if (turns.length === 0) return null;
  return (
    <section aria-labelledby="clock">
      <h2 id="clock">What happens by itself</h2>
      <ul className="rows">
        {turns.map(({ at, what }) => (
          <li key={at}>
            <span>
              <strong>{untilText(at, now)}</strong>, <Time at={at} />
            </span>
            <span>{what}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The time, renewed twice a minute. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
