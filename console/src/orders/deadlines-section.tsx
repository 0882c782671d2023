import { Clock } from "lucide-react";
import { useEffect, useState } from "react";
import { Time } from "../parts/time.tsx";
import { i18n } from "../text/i18n.ts";
import { deadlinesOf, untilText } from "./deadlines.ts";
import type { OrderView } from "./order-queries.ts";

/** The open deadlines of an order with a countdown, and what happens at each. */
export function Deadlines({ view }: { view: OrderView }) {
  const now = useNow();
  const deadlines = deadlinesOf(view);
  if (deadlines.length === 0) return null;
  return (
    <ul className="deadlines" aria-label={i18n.t("Deadlines")}>
      {deadlines.map(({ at, effect }) => (
        <li key={at}>
          <Clock size={16} aria-hidden />
          <span>
            <strong>{untilText(at, now)}</strong> <Time at={at} />
            <span className="quiet">{effect}</span>
          </span>
        </li>
      ))}
    </ul>
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
