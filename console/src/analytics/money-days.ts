import { formatAmount } from "../../../protocol/settlement/money.ts";
import type { Figure, Point } from "../parts/chart-data.ts";
import { moneyText } from "../parts/money.tsx";
import { utcDayText } from "../parts/time-text.ts";
import { tokenText } from "../settings.ts";
import { type Days, everyDay } from "./period.ts";

/** The money of one token on one day: an exact amount and its base units for each series. */
export type MoneyDay = {
  day: string;
  chain_id: number;
  token_address: string;
  currency: string;
  amounts: readonly { amount: string; baseUnits: string }[];
};

/** The money of one token over a period: the points of its chart, and the exact total of each series. */
export type TokenDays = {
  key: string;
  /** the token, with its network if there are several */
  name: string;
  points: Point[];
  totals: string[];
};

/** Groups days by token and adds the days without money. */
export function daysByToken(rows: readonly MoneyDay[], days: Days): TokenDays[] {
  const tokens = Map.groupBy(rows, ({ chain_id, token_address }) => `${chain_id} ${token_address}`);
  return [...tokens].map(([key, ofToken]) => tokenDaysOf(key, ofToken, days));
}

function tokenDaysOf(key: string, rows: readonly MoneyDay[], days: Days): TokenDays {
  const first = rows[0] as MoneyDay;
  const { currency, amounts } = first;
  const byDay = new Map(rows.map((row) => [row.day, row]));
  const points = everyDay(days).map((day) => ({
    label: utcDayText(day),
    figures: amounts.map((_, at) => figureOf(byDay.get(day)?.amounts[at]?.amount ?? "0", currency)),
  }));
  const totals = amounts.map(({ amount }, at) => {
    const sum = rows.reduce((total, row) => total + BigInt(row.amounts[at]?.baseUnits ?? 0), 0n);
    // The service writes an amount with all decimals of its token.
    return formatAmount(sum, amount.split(".")[1]?.length ?? 0);
  });
  return { key, name: tokenText(currency, first.chain_id), points, totals };
}

/** A number gives the bar its height. The exact amount stands beside it as text. */
const figureOf = (amount: string, currency: string): Figure => ({
  text: `${moneyText(amount)} ${currency}`,
  size: Number(amount),
});
