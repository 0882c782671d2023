import type { PaymentSum } from "earnest-client";

/** The money in and out in one month, as a decimal and in base units. */
export type MonthSum = Pick<
  PaymentSum,
  "month" | "received" | "received_base_units" | "paid" | "paid_base_units"
>;

/** The months of one token, oldest first. */
export type TokenMonths = { key: string; currency: string; months: MonthSum[] };

/** The most months that are shown; the newest are kept. */
const mostMonths = 24;

/** Groups the sums by token and adds the months without payments. */
export function monthsByToken(sums: readonly PaymentSum[]): TokenMonths[] {
  const tokens = new Map<string, TokenMonths>();
  for (const sum of sums) {
    const key = `${sum.chain_id} ${sum.token_address}`;
    const token = tokens.get(key) ?? { key, currency: sum.currency, months: [] };
    tokens.set(key, token);
    token.months.push(sum);
  }
  return [...tokens.values()].map((token) => ({ ...token, months: withGaps(token.months) }));
}

function withGaps(months: MonthSum[]): MonthSum[] {
  const sorted = [...months].sort((a, b) => (a.month < b.month ? -1 : 1));
  const [first, last] = [sorted[0]?.month ?? "", sorted.at(-1)?.month ?? ""];
  const all: MonthSum[] = [];
  for (let month = last; month >= first && all.length < mostMonths; month = monthBefore(month)) {
    all.unshift(sorted.find((sum) => sum.month === month) ?? { ...zeroSums, month });
  }
  return all;
}

const zeroSums = { received: "0", received_base_units: "0", paid: "0", paid_base_units: "0" };

function monthBefore(month: string): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number - 2, 1)).toISOString().slice(0, 7);
}
