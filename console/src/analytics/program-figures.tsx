import { Link } from "@tanstack/react-router";
import type { KeySpend, SpendPeriod, WebhookFigures } from "earnest-client";
import { KeyRound, Webhook } from "lucide-react";
import { Label } from "react-aria-components/Label";
import { Meter } from "react-aria-components/Meter";
import { Chart } from "../parts/chart.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { moneyText } from "../parts/money.tsx";
import { UserText } from "../parts/user-text.tsx";
import { i18n } from "../text/i18n.ts";
import { countFigure } from "./order-charts.tsx";

/** The figures of programs: webhook deliveries of the period, and the spending of API keys now. */
export function ProgramFigures({ webhooks, keys }: { webhooks: WebhookFigures; keys: readonly KeySpend[] }) {
  return (
    <div className="chart-grid">
      <section className="card">
        {webhooks.success_percent === null ? (
          <EmptyState
            icon={Webhook}
            title={i18n.t("No webhook deliveries")}
            action={
              <Link to="/webhooks" className="button">
                {i18n.t("View webhooks")}
              </Link>
            }
          />
        ) : (
          <Chart
            title={i18n.t("Webhook deliveries: {percent}% successful", { percent: webhooks.success_percent })}
            kind="categories"
            subject={i18n.t("Result")}
            series={[i18n.t("Deliveries")]}
            points={[
              { label: i18n.t("Successful"), figures: [countFigure(webhooks.succeeded)] },
              { label: i18n.t("Failed"), figures: [countFigure(webhooks.failed)] },
            ]}
          />
        )}
      </section>
      <section className="card" aria-labelledby="key-spend">
        <h2 id="key-spend">{i18n.t("API key spending")}</h2>
        {keys.length === 0 ? (
          <EmptyState
            icon={KeyRound}
            title={i18n.t("No API keys")}
            action={
              <Link to="/keys" className="button">
                {i18n.t("View API keys")}
              </Link>
            }
          />
        ) : (
          keys.map(({ key_id, key_name, day, month }) => (
            <div key={key_id} className="key-spend">
              <h3>
                <UserText>{key_name}</UserText>
              </h3>
              <Spend label={i18n.t("Today (UTC)")} of={day} />
              <Spend label={i18n.t("This month (UTC)")} of={month} />
            </div>
          ))
        )}
      </section>
    </div>
  );
}

/** The spending of one period, with a meter against its limit. */
function Spend({ label, of: { spent, limit } }: { label: string; of: SpendPeriod }) {
  if (limit === null) {
    return (
      <p className="meter-line">
        <span>{label}</span>
        <span className="money">{i18n.t("{spent}, no limit", { spent: moneyText(spent) })}</span>
      </p>
    );
  }
  const text = i18n.t("{spent} of {limit}", { spent: moneyText(spent), limit: moneyText(limit) });
  return (
    <Meter className="meter" value={Number(spent)} maxValue={Number(limit) || 1} valueLabel={text}>
      {({ percentage, valueText }) => (
        <>
          <div className="meter-line">
            <Label>{label}</Label>
            <span className="money">{valueText}</span>
          </div>
          <div className="meter-bar">
            <div style={{ width: `${percentage}%` }} />
          </div>
        </>
      )}
    </Meter>
  );
}
