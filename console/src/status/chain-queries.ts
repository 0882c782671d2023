import { queryOptions, useQuery } from "@tanstack/react-query";
import type { Chain, Earnest } from "earnest-client";
import { useClient } from "../session/client.ts";
import type { TabSession } from "../session/session.ts";
import { stateOfChain, worstChainOf } from "./chain-states.ts";

/** The chains of the service, with the state of each and how each token can be paid. */
export const chainsQuery = (client: Earnest) =>
  queryOptions({
    queryKey: ["chains"],
    queryFn: async () => (await client.chain.list()).items,
    staleTime: 60_000,
  });

/** The statuses of orders that wait for something on their chain. */
const unfinished = "created,funded,started,delivered,disputed";
/** The most orders of each side that are read. */
const mostOrders = 100;

/** The chains of the newest unfinished orders of the account, on both sides. */
const ownChainsQuery = (client: Earnest) =>
  queryOptions({
    queryKey: ["own-chains"],
    queryFn: async () => {
      const query = { status: unfinished, limit: mostOrders };
      const [placed, received] = await Promise.all([
        client.orders.list(query),
        client.orders.listReceived(query),
      ]);
      return [...new Set([...placed.items, ...received.items].map(({ escrow }) => escrow.chain_id))];
    },
    staleTime: 300_000,
  });

/**
 * Reads the chains, and the one with the worst state that concerns the viewer. The default chain concerns everybody.
 * Another chain concerns accounts with an unfinished order on it, and visitors without a session.
 */
export function useChains(session: TabSession | null): { chains: Chain[]; worst: Chain | undefined } {
  const client = useClient();
  const { data: chains = [] } = useQuery({ ...chainsQuery(client), refetchInterval: 30_000 });
  // An account's orders are read only if a chain that may concern it is in trouble.
  const isTroubled = chains.some((chain) => !chain.is_default && stateOfChain(chain).sentence !== null);
  const { data: own = [] } = useQuery({
    ...ownChainsQuery(client),
    enabled: session !== null && isTroubled,
  });
  const concerns = ({ is_default, chain_id }: Chain) =>
    is_default || session === null || own.includes(chain_id);
  return { chains, worst: worstChainOf(chains.filter(concerns)) };
}
