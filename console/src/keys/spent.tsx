import type { KeySpend } from "earnest-client";
import { Meter } from "react-aria-components/Meter";
import { Money, moneyText } from "../parts/money.tsx";
import { i18n } from "../text/i18n.ts";

/** From this share of a limit on, the bar warns. */
const nearLimit = 80;

/** A key's spending in a period, with a bar against its limit if it has one. */
export function Spent({
  period,
  currency,
  label,
}: {
  /** undefined if it is unknown, or the key is not valid */
  period: KeySpend["day"] | undefined;
  currency: string;
  label: string;
}) {
  if (!period) return <span className="quiet">–</span>;
  const { spent, limit } = period;
  if (limit === null) return <Money amount={spent} currency={currency} />;
  const text = i18n.t("{spent} of {limit} {currency}", {
    spent: moneyText(spent),
    limit: moneyText(limit),
    currency,
  });
  // Only the width of a bar.
  const share = Number(limit) > 0 ? Math.min(100, (Number(spent) / Number(limit)) * 100) : 100;
  return (
    <Meter className="meter" value={share} valueLabel={text} aria-label={label}>
      <span className="number">{text}</span>
      <span className="bar" data-tone={share >= nearLimit ? "warn" : undefined} aria-hidden>
        <span style={{ width: `${share}%` }} />
      </span>
    </Meter>
  );
}
