import { useQuery } from "@tanstack/react-query";
import type { AcceptedToken, Quote, Service } from "earnest-client";
import { formatAmount, parseAmount } from "../../../protocol/settlement/money.ts";
import { balancesQuery } from "../balances/balance-queries.ts";
import { ChoiceField } from "../parts/choice-field.tsx";
import { moneyText } from "../parts/money.tsx";
import { hasAccountOn } from "../passkey/stored-passkeys.ts";
import { useClient } from "../session/client.ts";
import { useSession } from "../session/session.ts";
import { nameOfChain, tokenText } from "../settings.ts";
import { chainsQuery } from "../status/chain-queries.ts";
import { i18n } from "../text/i18n.ts";
import { keyPlaceOf } from "../wallet/key-place.ts";

/** A token that pays for an order, with what the user's wallet has of it. */
export type Payable = {
  key: string;
  accepted: AcceptedToken;
  /** the price of one unit in base units of the token; null if the token has too few decimals for it */
  unitPrice: bigint | null;
  /** base units that the wallet has; null if unknown */
  balance: bigint | null;
  /** whether a signature pays in the token; null if unknown */
  takesSignatures: boolean | null;
  /** why the user's wallet cannot pay in the token */
  obstacle: string | null;
};

/**
 * Returns the tokens that pay for an order, in the provider's order. A service with one token asks nobody for balances.
 *
 * @param quote replaces the service's price
 */
export function usePayables(service: Service, quote: Quote | undefined): Payable[] {
  const client = useClient();
  const address = useSession()?.address ?? "";
  const isChoice = service.accepts.length > 1;
  const balances = useQuery({ ...balancesQuery(client), enabled: isChoice });
  const chains = useQuery({ ...chainsQuery(client), enabled: isChoice });
  const keyPlace = keyPlaceOf(address);
  const { price } = quote ?? service;
  return service.accepts.map((accepted) => {
    const { chain_id, token, symbol, decimals } = accepted;
    const held = balances.data?.wallets.find(
      (wallet) =>
        wallet.address.toLowerCase() === address.toLowerCase() &&
        wallet.chain_id === chain_id &&
        wallet.token_address === token,
    );
    const methods = chains.data
      ?.find((chain) => chain.chain_id === chain_id)
      ?.tokens.find(({ address: each }) => each === token)?.methods;
    const takesSignatures = methods ? methods.some((method) => method !== "approve") : null;
    return {
      key: `${chain_id} ${token}`,
      accepted,
      unitPrice: price === null ? null : parseAmount(price, decimals),
      balance: held?.balance_base_units ? BigInt(held.balance_base_units) : null,
      takesSignatures,
      obstacle:
        keyPlace === "passkey" && !hasAccountOn(chain_id)
          ? i18n.t("Your passkey has no account on {network}. Choose another token.", {
              network: nameOfChain(chain_id),
            })
          : keyPlace === "sample" && methods && !methods.includes("eip3009")
            ? i18n.t("{symbol} needs a transaction of a wallet. Choose another token.", { symbol })
            : null,
    };
  });
}

/** Returns the first token in which the wallet has the price of so many units, or else the first that it can pay in. */
export function preferredOf(payables: readonly Payable[], quantity: bigint): Payable | undefined {
  const usable = payables.filter(({ obstacle }) => obstacle === null);
  const covered = usable.find(
    ({ unitPrice, balance }) => unitPrice !== null && balance !== null && balance >= unitPrice * quantity,
  );
  return covered ?? usable[0] ?? payables[0];
}

/** The choice of the token. Nothing shows if the service accepts only one. */
export function PayWith({
  payables,
  chosen,
  onChange,
}: {
  payables: readonly Payable[];
  chosen: Payable | undefined;
  onChange: (key: string) => void;
}) {
  if (payables.length < 2 || !chosen) return null;
  return (
    <ChoiceField
      label={i18n.t("Pay with")}
      value={chosen.key}
      onChange={onChange}
      choices={payables.map((payable) => [payable.key, payableText(payable)])}
      error={chosen.obstacle}
    />
  );
}

function payableText({ accepted: { symbol, chain_id, decimals }, balance }: Payable): string {
  const name = tokenText(symbol, chain_id);
  if (balance === null) return name;
  return i18n.t("{token} (you have {amount})", {
    token: name,
    amount: moneyText(formatAmount(balance, decimals)),
  });
}
