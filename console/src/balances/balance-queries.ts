import { queryOptions } from "@tanstack/react-query";
import type { Balances, Earnest, EscrowBalance, WalletBalance } from "earnest-client";
import { formatAmount } from "../../../protocol/settlement/money.ts";

/** The balances of the account. The event feed refreshes the key with the orders. */
export const balancesQuery = (client: Earnest) =>
  queryOptions({
    queryKey: ["orders", "balances"],
    queryFn: () => client.balances.get(),
    refetchInterval: 60_000,
  });

/** The payouts that a token refused and that the contract still owes. */
export const payoutsQuery = (client: Earnest) =>
  queryOptions({
    queryKey: ["orders", "payouts"],
    queryFn: async () => (await client.balances.payouts.list({ status: "owed", limit: 100 })).items,
    refetchInterval: 60_000,
  });

/** The money of an account in one token. */
export type TokenBalance = {
  key: string;
  chainId: number;
  currency: string;
  /** the sum of the wallets; null if a wallet's balance is unknown */
  available: string | null;
  escrow: EscrowBalance | null;
};

/** Adds up the wallets by token, and adds what is in escrow. */
export function balancesByToken({ wallets, escrow }: Balances): TokenBalance[] {
  const tokens = new Map<string, WalletBalance | EscrowBalance>();
  for (const one of [...wallets, ...escrow]) tokens.set(`${one.chain_id} ${one.token_address}`, one);
  return [...tokens].map(([key, { chain_id: chainId, token_address: token, currency, token_decimals }]) => {
    const isOf = (one: WalletBalance | EscrowBalance) =>
      one.chain_id === chainId && one.token_address === token;
    return {
      key,
      chainId,
      currency,
      available: sumOf(wallets.filter(isOf), token_decimals),
      escrow: escrow.find(isOf) ?? null,
    };
  });
}

function sumOf(wallets: readonly WalletBalance[], decimals: number): string | null {
  if (wallets.some(({ balance_base_units: units }) => units === null)) return null;
  const sum = wallets.reduce((total, { balance_base_units: units }) => total + BigInt(units ?? 0), 0n);
  return formatAmount(sum, decimals);
}
