import { LRUCache } from "lru-cache";
import type { PublicClient } from "viem";
import { callWithBreaker } from "../../trade/node-breaker.ts";

/** Milliseconds for which the head of a chain is cached. */
const cachedFor = 1000;
const mostChains = 1000;

const heads = new LRUCache<PublicClient, { block: bigint }>({
  ttl: cachedFor,
  max: mostChains,
  // Equal questions at the same time share one call.
  fetchMethod: async (client) => ({ block: await client.getBlockNumber({ cacheTime: 0 }) }),
  ignoreFetchAbort: true,
});

/** Reads the newest block of a chain among several, at most a second old; null if its node does not answer soon. */
export function readChainHead(client: PublicClient): Promise<bigint | null> {
  return callWithBreaker(client, () => heads.forceFetch(client)).then(
    ({ block }) => block,
    () => null,
  );
}
