import { useQuery } from "@tanstack/react-query";
import type { Analytics } from "earnest-client";
import { formatAmount } from "../../../protocol/settlement/money.ts";
import { Chart } from "../parts/chart.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { moneyText } from "../parts/money.tsx";
import { utcDayText } from "../parts/time-text.ts";
import { useClient } from "../session/client.ts";
import { findChain } from "../settings.ts";
import { i18n } from "../text/i18n.ts";

/** The money in and out of the account on each of the last 30 days. */
export function DaysChart() {
  const client = useClient();
  const figures = useQuery({
    queryKey: ["orders", "analytics", "30 days"],
    queryFn: () => client.analytics.get(),
    staleTime: 60_000,
  });
  return (
    <section className="card" aria-label={i18n.t("Last 30 days")}>
      <Loaded query={figures}>
        {(data) => {
          const tokens = daysByToken(data);
          return tokens.length === 0 ? (
            <>
              <h2>{i18n.t("Last 30 days")}</h2>
              <p className="quiet">{i18n.t("No payments in the last 30 days.")}</p>
            </>
          ) : (
            tokens.map((token) => <TokenChart key={token.key} token={token} />)
          );
        }}
      </Loaded>
    </section>
  );
}

function TokenChart({ token: { currency, decimals, days } }: { token: TokenDays }) {
  const figureOf = (baseUnits: bigint) => {
    const amount = formatAmount(baseUnits, decimals);
    // The number gives the bar its height. The exact amount stands beside it as text.
    return { text: `${moneyText(amount)} ${currency}`, size: Number(amount) };
  };
  return (
    <Chart
      title={i18n.t("Money in and out, last 30 days ({currency})", { currency })}
      kind="bars"
      subject={i18n.t("Day (UTC)")}
      series={[i18n.t("In"), i18n.t("Out")]}
      points={days.map(({ day, received, paid }) => ({
        label: utcDayText(day),
        figures: [figureOf(received), figureOf(paid)],
      }))}
    />
  );
}

type TokenDays = {
  key: string;
  currency: string;
  decimals: number;
  days: { day: string; received: bigint; paid: bigint }[];
};

/** Adds up releases, refunds and payments by token and day. A token without any of them is left out. */
function daysByToken({ since, until, seller, buyer }: Analytics): TokenDays[] {
  const days = daysBetween(since, until);
  const tokens = new Map<string, TokenDays>();
  const dayOf = (row: { chain_id: number; token_address: string; currency: string; day: string }) => {
    const key = `${row.chain_id} ${row.token_address}`;
    const decimals = findChain(row.chain_id)?.token.decimals ?? 0;
    const token = tokens.get(key) ?? {
      ...{ key, currency: row.currency, decimals },
      days: days.map((day) => ({ day, received: 0n, paid: 0n })),
    };
    tokens.set(key, token);
    return token.days.find(({ day }) => day === row.day);
  };
  for (const row of seller.revenue) {
    const day = dayOf(row);
    if (day) day.received += BigInt(row.amount_base_units);
  }
  for (const row of buyer.spending) {
    const day = dayOf(row);
    if (!day) continue;
    day.received += BigInt(row.refunded_base_units);
    day.paid += BigInt(row.paid_base_units);
  }
  return [...tokens.values()];
}

const dayMs = 86_400_000;

function daysBetween(since: string, until: string): string[] {
  const [first, last] = [Date.parse(since), Date.parse(until)];
  const count = Math.round((last - first) / dayMs) + 1;
  return Array.from({ length: count }, (_, at) => new Date(first + at * dayMs).toISOString().slice(0, 10));
}
