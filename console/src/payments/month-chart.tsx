import { Chart } from "../parts/chart.tsx";
import { moneyText } from "../parts/money.tsx";
import { monthText } from "../parts/time-text.ts";
import { i18n } from "../text/i18n.ts";
import type { TokenMonths } from "./monthly-sums.ts";

/** The money in and out each month, of one token. */
export function MonthChart({ of: { months, name } }: { of: TokenMonths }) {
  // A number gives a bar its height. The exact amount stands beside it as text.
  const figureOf = (amount: string) => ({ text: `${moneyText(amount)} ${name}`, size: Number(amount) });
  return (
    <Chart
      title={i18n.t("Money in and out ({currency})", { currency: name })}
      kind="bars"
      subject={i18n.t("Month (UTC)")}
      series={[i18n.t("In"), i18n.t("Out")]}
      points={months.map(({ month, received, paid }) => ({
        label: monthText(month),
        figures: [figureOf(received), figureOf(paid)],
      }))}
    />
  );
}
