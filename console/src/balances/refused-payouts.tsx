import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { RefusedPayout } from "earnest-client";
import { Address } from "../parts/address.tsx";
import { Money } from "../parts/money.tsx";
import { timeText } from "../parts/time-text.ts";
import { useClient } from "../session/client.ts";
import { nameOfChain } from "../settings.ts";
import { ActButton } from "../signing/act-button.tsx";
import { i18n } from "../text/i18n.ts";
import { payoutsQuery } from "./balance-queries.ts";

/** The payouts that a token refused, and how they are paid. Nothing shows if there are none. */
export function RefusedPayouts() {
  const client = useClient();
  const queries = useQueryClient();
  const { data: payouts = [] } = useQuery(payoutsQuery(client));
  if (payouts.length === 0) return null;
  const prepare = async (payout: RefusedPayout) => {
    const { prepareWithdrawal } = await import("../signing/withdrawal-signing.ts");
    return prepareWithdrawal(client, payout);
  };
  return (
    <section aria-labelledby="payouts">
      <div className="card-head">
        <h2 id="payouts">{i18n.t("Refused payouts")}</h2>
      </div>
      <p className="quiet">
        {i18n.t(
          "The token refused to pay your wallet: it is paused, or it blocks the wallet. The escrow contract keeps the money for you.",
        )}
      </p>
      <table className="plain-table">
        <thead>
          <tr>
            <th scope="col">{i18n.t("Order")}</th>
            <th scope="col" className="number">
              {i18n.t("Amount")}
            </th>
            <th scope="col" data-phone="hidden">
              {i18n.t("Network")}
            </th>
            <th scope="col" data-phone="hidden">
              {i18n.t("Wallet")}
            </th>
            <th scope="col">{i18n.t("How it is paid")}</th>
          </tr>
        </thead>
        <tbody>
          {payouts.map((payout) => (
            <tr key={`${payout.order_id} ${payout.recipient}`}>
              <td>
                <Link to="/orders/$orderId" params={{ orderId: payout.order_id }}>
                  {payout.reference}
                </Link>
              </td>
              <td className="number">
                <Money amount={payout.amount} currency={payout.currency} />
              </td>
              <td data-phone="hidden">{nameOfChain(payout.chain_id)}</td>
              <td data-phone="hidden">
                <Address of={payout.recipient} />
              </td>
              <td>
                <p>{plan(payout)}</p>
                <ActButton
                  prepare={() => prepare(payout)}
                  onDone={() => void queries.invalidateQueries({ queryKey: ["orders"] })}
                >
                  {i18n.t("Withdraw")}
                </ActButton>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function plan({ service_withdraws, next_check_at }: RefusedPayout): string {
  if (!service_withdraws || next_check_at === null)
    return i18n.t("Withdraw it yourself once the token accepts it.");
  return i18n.t("Earnest tries again at {time}.", { time: timeText(next_check_at) });
}
