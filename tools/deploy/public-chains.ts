import type { Chain } from "viem";
import * as chains from "viem/chains";
import { findNetwork } from "../../protocol/settlement/networks.ts";

const all: readonly Chain[] = Object.values(chains);

/** Returns a chain's name: that of a known network, else of viem's list, else one made of its id. */
export function findChainName(chainId: number): string {
  return (
    findNetwork(chainId)?.network_name ?? all.find(({ id }) => id === chainId)?.name ?? `Chain ${chainId}`
  );
}

/** Returns the symbol of a chain's coin, or null if the chain is unknown. */
export function findCoin(chainId: number): string | null {
  const known = findNetwork(chainId)?.native_symbol;
  return known ?? all.find(({ id }) => id === chainId)?.nativeCurrency.symbol ?? null;
}
