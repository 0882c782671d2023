import { createPublicClient, defineChain, http, type PublicClient } from "viem";
import type { Chain } from "../config/config.ts";

/** The most calls in one request of a comparing job, and the milliseconds that the first call waits for more. */
const batch = { batchSize: 100, wait: 10 };

const clients = new WeakMap<Chain, PublicClient>();
const batchingClients = new WeakMap<Chain, PublicClient>();

/**
 * Returns the client of a chain's node, made once. The client caches no block number, so each reader sees the newest.
 */
export function clientOf(chain: Chain): PublicClient {
  return getOrCreate(clients, chain, () => http(chain.rpc_url));
}

/** Returns a client that batches concurrent calls, for jobs that make many. */
export function batchingClientOf(chain: Chain): PublicClient {
  return getOrCreate(batchingClients, chain, () => http(chain.rpc_url, { batch }));
}

function getOrCreate(
  cache: WeakMap<Chain, PublicClient>,
  chain: Chain,
  transport: () => ReturnType<typeof http>,
): PublicClient {
  const known = cache.get(chain);
  if (known) return known;
  const client = createPublicClient({
    chain: defineChain({
      id: chain.chain_id,
      name: chain.network_name,
      nativeCurrency: { name: "native coin", symbol: "ETH", decimals: 18 },
      rpcUrls: { default: { http: [chain.rpc_url] } },
    }),
    transport: transport(),
    cacheTime: 0,
  });
  cache.set(chain, client);
  return client;
}
