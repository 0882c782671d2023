import { Link } from "@tanstack/react-router";
import type { Balances, WaitingDeposit } from "earnest-client";
import type { ReactNode } from "react";
import { Money } from "../parts/money.tsx";
import { timeText } from "../parts/time-text.ts";
import { i18n } from "../text/i18n.ts";

/** The payments that no escrow took, and how the money comes back. Nothing shows if there are none. */
export function WaitingDeposits({ deposits }: Pick<Balances, "deposits">) {
  if (deposits.length === 0) return null;
  return (
    <section aria-labelledby="deposits">
      <div className="card-head">
        <h2 id="deposits">{i18n.t("Payments to be returned")}</h2>
      </div>
      <p className="quiet">
        {i18n.t("This money reached an order's deposit address and is not in escrow. It belongs to you.")}
      </p>
      <table className="plain-table">
        <thead>
          <tr>
            <th scope="col">{i18n.t("Order")}</th>
            <th scope="col" className="number">
              {i18n.t("Amount")}
            </th>
            <th scope="col" data-phone="hidden">
              {i18n.t("Reason")}
            </th>
            <th scope="col">{i18n.t("How it comes back")}</th>
          </tr>
        </thead>
        <tbody>
          {deposits.map((deposit) => (
            <tr key={deposit.order_id}>
              <td>
                <Link to="/orders/$orderId" params={{ orderId: deposit.order_id }}>
                  {deposit.reference}
                </Link>
              </td>
              <td className="number">
                <Money amount={deposit.amount} currency={deposit.currency} />
              </td>
              <td data-phone="hidden">{reasonText(deposit)}</td>
              <td>
                <Return of={deposit} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function reasonText({ reason }: WaitingDeposit): string {
  const texts = {
    repeated: i18n.t("The order was already paid."),
    late: i18n.t("The payment was late."),
    partial: i18n.t("The payment was too small."),
  };
  return texts[reason];
}

function Return({ of: { order_id, service_returns, anyone_from } }: { of: WaitingDeposit }): ReactNode {
  if (service_returns) return i18n.t("Earnest returns it automatically.");
  return (
    <>
      {anyone_from !== null &&
        `${i18n.t("Pay the rest until {time}, or take it back.", { time: timeText(anyone_from) })} `}
      <Link to="/orders/$orderId" params={{ orderId: order_id }}>
        {i18n.t("Take it back")}
      </Link>
    </>
  );
}
