import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Stats } from "../parts/labelled-values.tsx";
import { Money, moneyText } from "../parts/money.tsx";
import { nameOfChain } from "../settings.ts";
import { i18n } from "../text/i18n.ts";
import type { TokenBalance } from "./balance-queries.ts";

/** The money of the account in one token: in its wallets, in escrow for both sides, and in dispute. */
export function BalanceStats({ of: { available, currency, chainId, escrow } }: { of: TokenBalance }) {
  const { purchases = 0, sales = 0 } = escrow ?? {};
  return (
    <Stats
      figures={[
        [
          i18n.t("Available"),
          <Figure key="available" amount={available} currency={currency}>
            {available === null ? i18n.t("The network does not answer.") : nameOfChain(chainId)}
          </Figure>,
        ],
        [
          i18n.t("In escrow"),
          <Figure key="escrow" amount={escrow?.paid_into_escrow ?? "0"} currency={currency}>
            {purchases > 0 && (
              <Link to="/purchases">
                {i18n.t("{purchases, plural, one {# purchase} other {# purchases}}", { purchases })}
              </Link>
            )}
            <Disputed amount={escrow?.paid_in_dispute} currency={currency} />
          </Figure>,
        ],
        [
          i18n.t("To be earned"),
          <Figure key="earned" amount={escrow?.to_be_earned ?? "0"} currency={currency}>
            {sales > 0 && (
              <Link to="/sales">{i18n.t("{sales, plural, one {# sale} other {# sales}}", { sales })}</Link>
            )}
            <Disputed amount={escrow?.earnings_in_dispute} currency={currency} />
          </Figure>,
        ],
      ]}
    />
  );
}

function Figure({
  amount,
  currency,
  children,
}: {
  amount: string | null;
  currency: string;
  children: ReactNode;
}) {
  return (
    <>
      {amount === null ? "–" : <Money amount={amount} currency={currency} />}
      <span className="quiet">{children}</span>
    </>
  );
}

/** The part of an amount that is in dispute; nothing without one. */
export function Disputed({ amount, currency }: { amount: string | undefined; currency: string }) {
  if (amount === undefined || !/[1-9]/.test(amount)) return null;
  return ` · ${i18n.t("{amount} in dispute", { amount: `${moneyText(amount)} ${currency}` })}`;
}
