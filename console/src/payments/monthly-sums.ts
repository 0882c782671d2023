import type { PaymentSum } from "earnest-client";
import { formatAmount } from "../../../protocol/settlement/money.ts";
import { tokenText } from "../settings.ts";

/** The money in and out in one month, as a decimal and in base units. */
export type MonthSum = Pick<
  PaymentSum,
  "month" | "received" | "received_base_units" | "paid" | "paid_base_units"
>;

/** The sums of one token: in all, and by month, oldest first. */
export type TokenMonths = {
  key: string;
  /** the token, with its network if there are several */
  name: string;
  received: string;
  paid: string;
  months: MonthSum[];
};

/** The most months that are shown; the newest are kept. */
const mostMonths = 24;

/**
 * Groups the sums by token and adds the months without payments.
 *
 * @param fewest the months of each token at least
 */
export function monthsByToken(sums: readonly PaymentSum[], fewest: number): TokenMonths[] {
  const tokens = new Map<string, PaymentSum[]>();
  for (const sum of sums) {
    const key = `${sum.chain_id} ${sum.token_address}`;
    tokens.set(key, [...(tokens.get(key) ?? []), sum]);
  }
  return [...tokens].map(([key, months]) => ({
    key,
    name: tokenText(months[0]?.currency ?? "", months[0]?.chain_id ?? 0),
    received: totalOf(months, (month) => [month.received_base_units, month.received]),
    paid: totalOf(months, (month) => [month.paid_base_units, month.paid]),
    months: withGaps(months, fewest),
  }));
}

/** Adds amounts exactly. An amount of the service has all decimals of its token. */
function totalOf(
  months: readonly PaymentSum[],
  amountOf: (month: PaymentSum) => [baseUnits: string, amount: string],
): string {
  const amounts = months.map(amountOf);
  const decimals = amounts[0]?.[1].split(".")[1]?.length ?? 0;
  return formatAmount(
    amounts.reduce((sum, [baseUnits]) => sum + BigInt(baseUnits), 0n),
    decimals,
  );
}

function withGaps(months: readonly MonthSum[], fewest: number): MonthSum[] {
  const sorted = [...months].sort((a, b) => (a.month < b.month ? -1 : 1));
  const [first, last] = [sorted[0]?.month ?? "", sorted.at(-1)?.month ?? ""];
  const all: MonthSum[] = [];
  for (
    let month = last;
    (month >= first || all.length < fewest) && all.length < mostMonths;
    month = monthBefore(month)
  ) {
    all.unshift(sorted.find((sum) => sum.month === month) ?? { ...zeroSums, month });
  }
  return all;
}

const zeroSums = { received: "0", received_base_units: "0", paid: "0", paid_base_units: "0" };

function monthBefore(month: string): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number - 2, 1)).toISOString().slice(0, 7);
}
