import { Link } from "@tanstack/react-router";
import { Money } from "../parts/money.tsx";
import { nameOfChain } from "../settings.ts";
import { i18n } from "../text/i18n.ts";
import type { TokenBalance } from "./balance-queries.ts";
import { BalanceStats, Disputed } from "./balance-stats.tsx";

/** The money of the account in each of its tokens: as figures for one token, and as a table for several. */
export function TokenBalances({ of: tokens }: { of: readonly TokenBalance[] }) {
  const [first, ...others] = tokens.filter(isHeld);
  const [shown] = first ? [first] : tokens;
  if (!shown) return null;
  return others.length === 0 ? <BalanceStats of={shown} /> : <Table of={[shown, ...others]} />;
}

/** Whether the account has anything in a token, or may have. */
const isHeld = ({ available, escrow }: TokenBalance): boolean =>
  escrow !== null || available === null || /[1-9]/.test(available);

function Table({ of: tokens }: { of: readonly TokenBalance[] }) {
  return (
    <div className="card">
      <table className="plain-table">
        <caption className="hidden-text">{i18n.t("Balances")}</caption>
        <thead>
          <tr>
            <th scope="col">{i18n.t("Network")}</th>
            <th scope="col" className="number">
              {i18n.t("Available")}
            </th>
            <th scope="col" className="number">
              {i18n.t("In escrow")}
            </th>
            <th scope="col" className="number">
              {i18n.t("To be earned")}
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map(({ key, chainId, currency, available, escrow }) => (
            <tr key={key}>
              <td>{nameOfChain(chainId)}</td>
              <td className="number">
                {available === null ? (
                  <span title={i18n.t("The network does not answer.")}>{`– ${currency}`}</span>
                ) : (
                  <Money amount={available} currency={currency} />
                )}
              </td>
              <td className="number">
                {escrow && escrow.purchases > 0 ? (
                  <Link to="/purchases">
                    <Money amount={escrow.paid_into_escrow} currency={currency} />
                  </Link>
                ) : (
                  "–"
                )}
                <Disputed amount={escrow?.paid_in_dispute} currency={currency} />
              </td>
              <td className="number">
                {escrow && escrow.sales > 0 ? (
                  <Link to="/sales">
                    <Money amount={escrow.to_be_earned} currency={currency} />
                  </Link>
                ) : (
                  "–"
                )}
                <Disputed amount={escrow?.earnings_in_dispute} currency={currency} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
