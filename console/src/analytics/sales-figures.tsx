import { Link } from "@tanstack/react-router";
import type { DeliveryFigures, ScoreHistory, SellerFigures } from "earnest-client";
import { ChartColumn } from "lucide-react";
import { showHidden } from "../../../protocol/json/text.ts";
import { Chart } from "../parts/chart.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { LabelledValues, Stats } from "../parts/labelled-values.tsx";
import { moneyText } from "../parts/money.tsx";
import { durationText, utcDayText } from "../parts/time-text.ts";
import { i18n } from "../text/i18n.ts";
import { daysByToken, type TokenDays } from "./money-days.ts";
import { ConversionChart, countFigure, StatusChart, shareText } from "./order-charts.tsx";
import type { Days } from "./period.ts";

/** The figures of sales: revenue, orders, deliveries and scores. */
export function SalesFigures({ figures, days }: { figures: SellerFigures; days: Days }) {
  const { revenue, orders, delivery, scores } = figures;
  const tokens = daysByToken(
    revenue.map((day) => ({ ...day, amounts: [{ amount: day.amount, baseUnits: day.amount_base_units }] })),
    days,
  );
  if (tokens.length === 0 && orders.placed === 0 && scores.length === 0) {
    return (
      <EmptyState
        icon={ChartColumn}
        title={i18n.t("No sales in this period")}
        action={
          <Link to="/sell/agents" className="button primary">
            {i18n.t("View your agents")}
          </Link>
        }
      >
        {i18n.t("Revenue, orders and deliveries appear here after your first sale.")}
      </EmptyState>
    );
  }
  return (
    <>
      <Stats
        figures={[
          [i18n.t("Revenue"), totalText(tokens, 0)],
          [i18n.t("Orders placed"), countFigure(orders.placed).text],
          [i18n.t("Placed to completed"), shareText(orders.completed, orders.placed)],
          [i18n.t("On time"), shareText(delivery.on_time, settledOf(delivery))],
        ]}
      />
      {tokens.map(({ key, name, points }) => (
        <section key={key} className="card">
          <Chart
            title={i18n.t("Revenue by day ({currency})", { currency: name })}
            kind="bars"
            subject={i18n.t("Day (UTC)")}
            series={[i18n.t("Revenue")]}
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
      <div className="chart-grid">
        {settledOf(delivery) > 0 && <Deliveries of={delivery} />}
        {scores.length > 0 && <Scores of={scores} />}
      </div>
    </>
  );
}

/** The totals of all tokens in one line. */
export const totalText = (tokens: readonly TokenDays[], at: number): string =>
  tokens.map(({ name, totals }) => `${moneyText(totals[at] ?? "0")} ${name}`).join(", ") || moneyText("0");

const settledOf = ({ on_time, late, not_delivered }: DeliveryFigures) => on_time + late + not_delivered;

/** Deliveries against the promised time. */
function Deliveries({ of }: { of: DeliveryFigures }) {
  return (
    <section className="card">
      <Chart
        title={i18n.t("Delivery against promise")}
        kind="categories"
        subject={i18n.t("Outcome")}
        series={[i18n.t("Orders")]}
        points={[
          { label: i18n.t("On time"), figures: [countFigure(of.on_time)] },
          { label: i18n.t("Late"), figures: [countFigure(of.late)] },
          { label: i18n.t("Not delivered"), figures: [countFigure(of.not_delivered)] },
        ]}
      />
      <LabelledValues
        rows={[
          [
            i18n.t("Median delivery time"),
            of.median_seconds === null ? null : durationText(of.median_seconds),
          ],
          [i18n.t("90% within"), of.p90_seconds === null ? null : durationText(of.p90_seconds)],
        ]}
      />
    </section>
  );
}

/** The most agents that one chart tells apart. */
const mostAgents = 4;

/** The scores of agents on the days on which they were computed. */
function Scores({ of: histories }: { of: readonly ScoreHistory[] }) {
  const shown = histories.slice(0, mostAgents);
  const days = [...new Set(shown.flatMap((history) => history.days.map(({ day }) => day)))].sort();
  const scoreAt = ({ days: known }: ScoreHistory, day: string) =>
    known.find((each) => each.day === day)?.score ?? null;
  return (
    <section className="card">
      <Chart
        title={i18n.t("Score history")}
        kind="lines"
        subject={i18n.t("Day (UTC)")}
        series={shown.map(({ agent }) => showHidden(agent.name))}
        most={1000}
        points={days.map((day) => ({
          label: utcDayText(day),
          figures: shown.map((history) => {
            const score = scoreAt(history, day);
            return score === null ? null : countFigure(score);
          }),
        }))}
      />
      {histories.length > mostAgents && (
        <p className="quiet">{i18n.t("Choose an agent above to see the scores of others.")}</p>
      )}
    </section>
  );
}
