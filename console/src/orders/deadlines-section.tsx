import { useEffect, useState } from "react";
import { Time } from "../parts/time.tsx";
import { deadlinesOf, untilText } from "./deadlines.ts";
import type { OrderView } from "./order-queries.ts";

/** The deadlines of an order, and what happens at each. */
export function Deadlines({ view }: { view: OrderView }) {
  const now = useNow();
  const deadlines = deadlinesOf(view);
  if (deadlines.length === 0) return null;
  return (
    <section aria-labelledby="deadlines">
      <h2 id="deadlines">Deadlines</h2>
      <ul className="rows">
        {deadlines.map(({ at, what }) => (
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

/** Returns the current time, updated twice a minute. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
