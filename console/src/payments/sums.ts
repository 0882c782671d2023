import type { PaymentRecord } from "earnest-client";
import { formatAmount } from "../../../settlement/money.ts";

/** What came in and went out in one month, in the token's smallest unit. */
export type MonthSum = { month: string; in: bigint; out: bigint };

/** The sums of one token. */
export type TokenSums = { key: string; currency: string; decimals: number; months: MonthSum[] };

/** No more months than these are shown, the newest. */
const mostMonths = 24;

/** Adds up what moved to me and from me, for each token and month (UTC). Months without payments are there too. */
export function sumByMonth(payments: readonly PaymentRecord[]): TokenSums[] {
  const tokens = new Map<string, Omit<TokenSums, "months"> & { sums: Map<string, MonthSum> }>();
  for (const payment of payments) {
    const { direction, occurred_at, amount_base_units, amount, currency, token_address } = payment;
    if (direction === "none") continue;
    const key = `${payment.transaction.chain_id} ${token_address}`;
    // The service writes amounts with all of the token's decimals.
    const decimals = amount.split(".")[1]?.length ?? 0;
    const token = tokens.get(key) ?? { key, currency, decimals, sums: new Map() };
    tokens.set(key, token);
    const month = occurred_at.slice(0, 7);
    const sum = token.sums.get(month) ?? { month, in: 0n, out: 0n };
    token.sums.set(month, { ...sum, [direction]: sum[direction] + BigInt(amount_base_units) });
  }
  return [...tokens.values()].map(({ sums, ...token }) => ({
    ...token,
    months: monthsBetween([...sums.keys()].sort()).map(
      (month) => sums.get(month) ?? { month, in: 0n, out: 0n },
    ),
  }));
}

/** Every month from the first to the last, at most the newest two years. */
function monthsBetween(known: string[]): string[] {
  const [first = "", last = ""] = [known[0], known.at(-1)];
  const months: string[] = [];
  for (let month = last; month >= first && months.length < mostMonths; month = monthBefore(month)) {
    months.unshift(month);
  }
  return months;
}

function monthBefore(month: string): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number - 2, 1)).toISOString().slice(0, 7);
}

/** An exact sum as a decimal. */
export const sumText = ({ decimals, currency }: TokenSums, sum: bigint): string =>
  `${formatAmount(sum, decimals)} ${currency}`;
