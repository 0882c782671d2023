import { queryOptions, useQuery } from "@tanstack/react-query";
import type { Analytics, Earnest } from "earnest-client";
import { formatAmount } from "../../../protocol/settlement/money.ts";
import { daysByToken, type MoneyDay, type TokenDays } from "../analytics/money-days.ts";
import { Chart } from "../parts/chart.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { useClient } from "../session/client.ts";
import { i18n } from "../text/i18n.ts";

/** The account's figures of the last 30 days. */
export const daysQuery = (client: Earnest) =>
  queryOptions({
    queryKey: ["orders", "analytics", "30 days"],
    queryFn: () => client.analytics.get(),
    staleTime: 60_000,
  });

/** The money in and out of the account on each of the last 30 days. */
export function DaysChart() {
  const figures = useQuery(daysQuery(useClient()));
  return (
    <section className="card" aria-label={i18n.t("Last 30 days")}>
      <Loaded query={figures}>
        {(data) => {
          const tokens = daysByToken(moneyDaysOf(data), data);
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

function TokenChart({ token: { name, points } }: { token: TokenDays }) {
  return (
    <Chart
      title={i18n.t("Money in and out, last 30 days ({currency})", { currency: name })}
      kind="bars"
      subject={i18n.t("Day (UTC)")}
      series={[i18n.t("In"), i18n.t("Out")]}
      points={points}
    />
  );
}

/** Adds up releases and refunds as money in, and payments as money out, by token and day. */
function moneyDaysOf({ seller, buyer }: Analytics): MoneyDay[] {
  const moved = [
    ...seller.revenue.map(({ amount, amount_base_units, ...of }) => ({
      of,
      received: BigInt(amount_base_units),
      paid: 0n,
      amount,
    })),
    ...buyer.spending.map(({ paid, paid_base_units, refunded, refunded_base_units, ...of }) => ({
      of,
      received: BigInt(refunded_base_units),
      paid: BigInt(paid_base_units),
      amount: paid,
    })),
  ];
  const days = Map.groupBy(moved, ({ of }) => `${of.chain_id} ${of.token_address} ${of.day}`);
  return [...days.values()].flatMap((rows) => {
    const [first] = rows;
    if (!first) return [];
    const received = rows.reduce((sum, row) => sum + row.received, 0n);
    const paid = rows.reduce((sum, row) => sum + row.paid, 0n);
    // The service writes an amount with all decimals of its token.
    const decimals = first.amount.split(".")[1]?.length ?? 0;
    const amounts = [received, paid].map((sum) => ({
      amount: formatAmount(sum, decimals),
      baseUnits: String(sum),
    }));
    return [{ ...first.of, amounts }];
  });
}
