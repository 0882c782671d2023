import { createPublicClient, defineChain, http, type PublicClient } from "viem";
import type { Chain } from "../config/config.ts";

/** Calls that one request of a comparing job holds at most, and the milliseconds that the first waits for the others. */
const batch = { batchSize: 100, wait: 10 };

const clients = new WeakMap<Chain, PublicClient>();
const batchingClients = new WeakMap<Chain, PublicClient>();

/** The client of a chain's node, made once. It keeps no block number: each reader sees the newest. */
export function clientOf(chain: Chain): PublicClient {
  return madeOnce(clients, chain, () => http(chain.rpc_url));
}

/** The same for a job that asks much at once: what it asks side by side goes out together. */
export function batchingClientOf(chain: Chain): PublicClient {
  return madeOnce(batchingClients, chain, () => http(chain.rpc_url, { batch }));
}

function madeOnce(
  made: WeakMap<Chain, PublicClient>,
  chain: Chain,
  transport: () => ReturnType<typeof http>,
): PublicClient {
  const known = made.get(chain);
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
  made.set(chain, client);
  return client;
}
