import { Link } from "@tanstack/react-router";
import type { BuyerFigures } from "earnest-client";
import { ShoppingBag } from "lucide-react";
import { Chart } from "../parts/chart.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { Stats } from "../parts/labelled-values.tsx";
import { i18n } from "../text/i18n.ts";
import { daysByToken } from "./money-days.ts";
import { ConversionChart, countFigure, StatusChart, shareText } from "./order-charts.tsx";
import type { Days } from "./period.ts";
import { totalText } from "./sales-figures.tsx";

/** The figures of purchases: money paid and refunded, and orders. */
export function SpendingFigures({ figures, days }: { figures: BuyerFigures; days: Days }) {
  const { spending, orders } = figures;
  const tokens = daysByToken(
    spending.map((day) => ({
      ...day,
      amounts: [
        { amount: day.paid, baseUnits: day.paid_base_units },
        { amount: day.refunded, baseUnits: day.refunded_base_units },
      ],
    })),
    days,
  );
  if (tokens.length === 0 && orders.placed === 0) {
    return (
      <EmptyState
        icon={ShoppingBag}
        title={i18n.t("No purchases in this period")}
        action={
          <Link to="/market" className="button primary">
            {i18n.t("Browse services")}
          </Link>
        }
      >
        {i18n.t("Your spending appears here after your first order.")}
      </EmptyState>
    );
  }
  return (
    <>
      <Stats
        figures={[
          [i18n.t("Paid into escrow"), totalText(tokens, 0)],
          [i18n.t("Refunded"), totalText(tokens, 1)],
          [i18n.t("Orders placed"), countFigure(orders.placed).text],
          [i18n.t("Placed to completed"), shareText(orders.completed, orders.placed)],
        ]}
      />
      {tokens.map(({ key, name, points }) => (
        <section key={key} className="card">
          <Chart
            title={i18n.t("Spending by day ({currency})", { currency: name })}
            kind="bars"
            subject={i18n.t("Day (UTC)")}
            series={[i18n.t("Paid"), i18n.t("Refunded")]}
            points={points}
          />
        </section>
      ))}
      {orders.placed > 0 && (
        <div className="chart-grid">
          <section className="card">
            <StatusChart orders={orders} />
          </section>
          <section className="card">
            <ConversionChart orders={orders} />
          </section>
        </div>
      )}
    </>
  );
}
