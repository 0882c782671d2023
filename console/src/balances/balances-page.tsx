import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { WalletBalance } from "earnest-client";
import { Plus } from "lucide-react";
import { useState } from "react";
import { Address } from "../parts/address.tsx";
import { Button } from "../parts/button.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Money, moneyText } from "../parts/money.tsx";
import { Page } from "../parts/page.tsx";
import { Chip } from "../parts/status-chip.tsx";
import { useClient } from "../session/client.ts";
import { nameOfChain, tokensOn } from "../settings.ts";
import { i18n } from "../text/i18n.ts";
import { AddFunds } from "./add-funds.tsx";
import { balancesByToken, balancesQuery } from "./balance-queries.ts";
import { TokenBalances } from "./balance-table.tsx";
import { RefusedPayouts } from "./refused-payouts.tsx";
import { WaitingDeposits } from "./waiting-deposits.tsx";

/** The money of the account: in escrow, and in each of its wallets. */
export function BalancesPage() {
  const balances = useQuery(balancesQuery(useClient()));
  const [isAdding, setAdding] = useState(false);
  const { wallets = [] } = balances.data ?? {};
  const primaries = wallets.filter(({ is_primary }) => is_primary);
  const [primary] = primaries.length > 0 ? primaries : wallets;
  return (
    <Page
      title={i18n.t("Balances")}
      intro={i18n.t(
        "Your money stays in your own wallets and in the escrow contract. Earnest holds none of it.",
      )}
      actions={
        primary && (
          <Button variant="primary" icon={Plus} onPress={() => setAdding(true)}>
            {i18n.t("Add funds")}
          </Button>
        )
      }
    >
      <Loaded query={balances}>
        {(data) => (
          <div className="stack">
            <TokenBalances of={balancesByToken(data)} />
            <WaitingDeposits deposits={data.deposits} />
            <RefusedPayouts />
            <Wallets wallets={data.wallets} hasMore={data.more_wallets} />
          </div>
        )}
      </Loaded>
      {primary && isAdding && (
        <AddFunds
          entries={wallets.filter(({ wallet_id }) => wallet_id === primary.wallet_id)}
          onClose={() => setAdding(false)}
        />
      )}
    </Page>
  );
}

function Wallets({ wallets, hasMore }: { wallets: readonly WalletBalance[]; hasMore: boolean }) {
  return (
    <section aria-labelledby="wallets">
      <div className="card-head">
        <h2 id="wallets">{i18n.t("Wallets")}</h2>
        <Link to="/settings/wallets">{i18n.t("Manage wallets")}</Link>
      </div>
      <table className="plain-table">
        <thead>
          <tr>
            <th scope="col">{i18n.t("Wallet")}</th>
            <th scope="col" data-phone="hidden">
              {i18n.t("Network")}
            </th>
            <th scope="col" className="number">
              {i18n.t("Balance")}
            </th>
            <th scope="col" className="number">
              {i18n.t("For gas")}
            </th>
          </tr>
        </thead>
        <tbody>
          {wallets.filter(isShown).map((wallet) => (
            <tr key={`${wallet.wallet_id} ${wallet.chain_id} ${wallet.token_address}`}>
              <td>
                <Address of={wallet.address} /> {wallet.is_primary && <Chip>{i18n.t("Primary")}</Chip>}
              </td>
              <td data-phone="hidden">{nameOfChain(wallet.chain_id)}</td>
              <td className="number">
                {wallet.balance === null ? (
                  <Unknown reason={wallet.unknown_reason} />
                ) : (
                  <Money amount={wallet.balance} currency={wallet.currency} />
                )}
              </td>
              <td className="number">
                {wallet.native_balance === null ? (
                  "–"
                ) : (
                  <Gas amount={wallet.native_balance} currency={wallet.native_currency} />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {hasMore && (
        <p className="quiet">{i18n.t("Your account has more wallets. Only the oldest are shown.")}</p>
      )}
    </section>
  );
}

/** Tells whether an entry has a row: the default token of each chain has one, and any other if the wallet may have some. */
const isShown = ({ chain_id, token_address, balance_base_units }: WalletBalance): boolean =>
  balance_base_units !== "0" || isDefaultOn(chain_id, token_address);

const isDefaultOn = (chainId: number, address: string): boolean => {
  const [first] = tokensOn(chainId);
  return first?.address.toLowerCase() === address.toLowerCase();
};

function Unknown({ reason }: { reason: WalletBalance["unknown_reason"] }) {
  const texts = {
    busy: i18n.t("Too many requests now. Shown again in a minute."),
    slow: i18n.t("The network is slow. Shown again in a minute."),
    unreachable: i18n.t("The network does not answer. Shown again in a minute."),
    refused: i18n.t("The token does not answer. Shown again in a minute."),
  };
  return <span className="quiet">{reason && texts[reason]}</span>;
}

/** Decimals of a coin that are shown. The tooltip has all. */
const coinDecimals = 4;

/** An amount of the chain's coin, cut to a few decimals. */
function Gas({ amount, currency }: { amount: string; currency: string | null }) {
  const [whole, fraction = ""] = amount.split(".");
  const cut = `${whole}.${fraction.slice(0, coinDecimals)}`;
  return (
    <span className="money" title={`${amount} ${currency ?? ""}`}>
      {`${moneyText(cut)} ${currency ?? ""}`}
    </span>
  );
}
