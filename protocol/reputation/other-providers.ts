/** A payment from one wallet to another through an escrow with a release. */
export type Payment = { wallet: string; provider: string };

/** The wallets without a payment to the agent that must have paid another provider, so that it counts. */
const witnesses = 3;

/**
 * Counts the other providers that a counterparty paid. A provider counts if its wallet is not the agent's, and three
 * wallets paid it that never paid the agent. So a ring whose buyers all pay its providers has no other provider.
 *
 * @param own the payout wallets of the agent and of the account's other agents
 * @param payments all known payments, each pair once or more; addresses in any case
 * @returns the count for a counterparty's wallets
 */
export function countOtherProviders(
  own: readonly string[],
  payments: readonly Payment[],
): (wallets: readonly string[]) => number {
  const owned = new Set(own.map((wallet) => wallet.toLowerCase()));
  const customers = new Set<string>();
  const buyersOf = new Map<string, Set<string>>();
  const providersOf = new Map<string, Set<string>>();
  for (const payment of payments) {
    const [wallet, provider] = [payment.wallet.toLowerCase(), payment.provider.toLowerCase()];
    if (owned.has(provider)) customers.add(wallet);
    else {
      setOf(buyersOf, provider).add(wallet);
      setOf(providersOf, wallet).add(provider);
    }
  }
  const counting = new Set<string>();
  for (const [provider, buyers] of buyersOf) {
    if ([...buyers].filter((buyer) => !customers.has(buyer)).length >= witnesses) counting.add(provider);
  }
  return (wallets) => {
    const paid = new Set(wallets.flatMap((wallet) => [...(providersOf.get(wallet.toLowerCase()) ?? [])]));
    return [...paid].filter((provider) => counting.has(provider)).length;
  };
}

function setOf(sets: Map<string, Set<string>>, name: string): Set<string> {
  const set = sets.get(name) ?? new Set();
  sets.set(name, set);
  return set;
}
