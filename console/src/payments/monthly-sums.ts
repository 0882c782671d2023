import type { PaymentSum } from "earnest-client";

/** What came in and went out in one month: exact, as a decimal and in the token's smallest unit. */
export type MonthSum = Pick<
  PaymentSum,
  "month" | "received" | "received_base_units" | "paid" | "paid_base_units"
>;

/** The months of one token, the oldest first. */
export type TokenMonths = { key: string; currency: string; months: MonthSum[] };

/** No more months than these are shown, the newest. */
const mostMonths = 24;

/** Parts the sums by token, and puts the months without payments between those with. */
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

function withGaps(known: MonthSum[]): MonthSum[] {
  const sorted = [...known].sort((a, b) => (a.month < b.month ? -1 : 1));
  const [first, last] = [sorted[0]?.month ?? "", sorted.at(-1)?.month ?? ""];
  const months: MonthSum[] = [];
  for (let month = last; month >= first && months.length < mostMonths; month = monthBefore(month)) {
    months.unshift(sorted.find((one) => one.month === month) ?? { ...nothing, month });
  }
  return months;
}

const nothing = { received: "0", received_base_units: "0", paid: "0", paid_base_units: "0" };

function monthBefore(month: string): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number - 2, 1)).toISOString().slice(0, 7);
}
