import type { OrderCounts } from "earnest-client";
import { orderStatuses } from "../../../protocol/settlement/vocabulary.ts";
import { orderStatusText } from "../orders/order-words.ts";
import { Chart } from "../parts/chart.tsx";
import type { Figure } from "../parts/chart-data.ts";
import { i18n } from "../text/i18n.ts";
import { locale } from "../text/language.ts";

/** A count as a figure. */
export const countFigure = (count: number): Figure => ({ text: count.toLocaleString(locale()), size: count });

/** Formats a share as a percentage; a dash without a whole. */
export const shareText = (part: number, whole: number): string =>
  whole === 0
    ? "–"
    : new Intl.NumberFormat(locale(), { style: "percent", maximumFractionDigits: 0 }).format(part / whole);

/** The orders of a period by their present status. */
export function StatusChart({ orders }: { orders: OrderCounts }) {
  return (
    <Chart
      title={i18n.t("Orders by status")}
      kind="categories"
      subject={i18n.t("Status")}
      series={[i18n.t("Orders")]}
      points={orderStatuses
        .filter((status) => orders.by_status[status] > 0)
        .map((status) => ({
          label: orderStatusText(status),
          figures: [countFigure(orders.by_status[status])],
        }))}
    />
  );
}

/** The steps from the placement of an order to its completion, each with its share of the placed orders. */
export function ConversionChart({ orders: { placed, paid, completed } }: { orders: OrderCounts }) {
  const chartStep = (label: string, count: number) => ({
    label,
    figures: [{ text: `${count.toLocaleString(locale())} (${shareText(count, placed)})`, size: count }],
  });
  return (
    <Chart
      title={i18n.t("Conversion")}
      kind="categories"
      subject={i18n.t("Step")}
      series={[i18n.t("Orders")]}
      points={[
        chartStep(i18n.t("Placed"), placed),
        chartStep(i18n.t("Paid"), paid),
        chartStep(i18n.t("Completed"), completed),
      ]}
    />
  );
}
