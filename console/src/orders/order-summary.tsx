import { Link } from "@tanstack/react-router";
import { LabelledValues } from "../parts/labelled-values.tsx";
import { Money, moneyText } from "../parts/money.tsx";
import { Time } from "../parts/time.tsx";
import { UserText } from "../parts/user-text.tsx";
import { nameOfChain, settings } from "../settings.ts";
import { i18n } from "../text/i18n.ts";
import { Deadlines } from "./deadlines-section.tsx";
import type { OrderView } from "./order-queries.ts";

/** The card beside an order: amount, service, agent, times and deadlines. */
export function OrderSummary({ view }: { view: OrderView }) {
  const { order, agreement } = view;
  const [agent, service] = [String(agreement.agent_slug), String(agreement.service_slug)];
  return (
    <section className="card" aria-label={i18n.t("Summary")}>
      <p className="amount">
        <Money amount={order.total_amount} currency={order.currency} />
      </p>
      {order.quantity > 1 && (
        <p className="quiet">{`${order.quantity} × ${moneyText(order.unit_price)} ${order.currency}`}</p>
      )}
      {order.charge !== null && order.units !== null && (
        <p>
          {i18n.t("Charged for {count, plural, one {# unit} other {# units}}", { count: order.units })}{" "}
          <Money amount={order.charge} currency={order.currency} />
        </p>
      )}
      <LabelledValues
        rows={[
          [
            i18n.t("Service"),
            <Link key="service" to="/market/$agent/$service" params={{ agent, service }}>
              <UserText>{String(agreement.service_title)}</UserText>
            </Link>,
          ],
          [
            i18n.t("Agent"),
            <Link key="agent" to="/agents/$agent" params={{ agent }}>
              <UserText>{order.agent.name}</UserText>
            </Link>,
          ],
          [i18n.t("Placed"), <Time key="placed" at={order.created_at} />],
          [i18n.t("Network"), settings.chains.length > 1 ? nameOfChain(order.escrow.chain_id) : null],
          [
            i18n.t("Payment method"),
            order.settlement_rail === "x402"
              ? i18n.t("Signature, no gas (x402)")
              : i18n.t("Wallet transaction"),
          ],
        ]}
      />
      <Deadlines view={view} />
    </section>
  );
}
