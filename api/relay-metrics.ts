import { inArray, sql } from "drizzle-orm";
import { formatEther, formatGwei, getAddress } from "viem";
import { countRelaysOfHour } from "../db/relays.ts";
import { relay, relayer } from "../db/schema.ts";
import type { Context } from "./context.ts";
import type { Metric } from "./metrics.ts";

const openStatuses = ["queued", "signed"] as const;

/** What the relayer's operator watches, for each chain that is served. */
export async function readRelayMetrics({ db, config }: Context): Promise<Metric[]> {
  const chainIds = config.chains.map((chain) => chain.chain_id);
  if (chainIds.length === 0) return [];
  const [wallets, open] = await Promise.all([
    db.select().from(relayer).where(inArray(relayer.chainId, chainIds)),
    db
      .select({
        chainId: relay.chainId,
        status: relay.status,
        count: sql<number>`count(*)::int`,
        oldest: sql<number>`extract(epoch from now() - min(${relay.queuedAt}))::float`,
      })
      .from(relay)
      .where(inArray(relay.status, [...openStatuses]))
      .groupBy(relay.chainId, relay.status),
  ]);
  const ofHour = await Promise.all(
    chainIds.map(async (chainId) => ({
      labels: { chain_id: chainId },
      value: await countRelaysOfHour(db, chainId),
    })),
  );
  const queues = chainIds.flatMap((chainId) =>
    openStatuses.map((status) => ({
      labels: { chain_id: chainId, status },
      found: open.find((row) => row.chainId === chainId && row.status === status),
    })),
  );
  const ofWallets = (
    name: string,
    help: string,
    value: (wallet: Wallet) => number | null,
    type: Metric["type"] = "gauge",
  ): Metric => ({
    name: `earnest_relayer_${name}`,
    help,
    type,
    samples: seen.flatMap((wallet) => {
      const measured = value(wallet);
      if (measured === null) return [];
      return [{ labels: { chain_id: wallet.chainId, address: wallet.address }, value: measured }];
    }),
  });
  const seen = config.chains.flatMap((chain) => {
    const row = wallets.find(({ chainId }) => chainId === chain.chain_id);
    return row ? [{ ...row, address: getAddress(row.address), chain }] : [];
  });
  type Wallet = (typeof seen)[number];
  const counter = (what: "mined" | "failed" | "raised" | "overtaken", help: string, of: keyof Wallet) =>
    ofWallets(`${what}_total`, help, (wallet) => Number(wallet[of]), "counter");

  return [
    ofWallets("balance_ether", "What the relaying wallet holds, in units of 10^18 wei.", (wallet) =>
      Number(formatEther(wallet.balance)),
    ),
    ofWallets("balance_low", "1 while the wallet holds less than RELAYER_LOW_BALANCE.", (wallet) =>
      Number(wallet.balance < wallet.chain.relayer_low_balance),
    ),
    ofWallets("gas_price_gwei", "What a unit of gas costs on the chain, tip included.", (wallet) =>
      wallet.gasPrice === null ? null : Number(formatGwei(wallet.gasPrice)),
    ),
    ofWallets("gas_price_ceiling_gwei", "What a unit of gas may cost: MAX_FEE_GWEI.", (wallet) =>
      Number(formatGwei(wallet.chain.max_fee_per_gas)),
    ),
    ofWallets("waiting_for_balance", "1 while relays wait for native coin.", (wallet) =>
      Number(wallet.waiting === "balance"),
    ),
    ofWallets("waiting_for_gas_price", "1 while relays wait for cheaper gas.", (wallet) =>
      Number(wallet.waiting === "gas_price"),
    ),
    ofWallets("seen_timestamp_seconds", "When a worker last looked at the wallet.", (wallet) =>
      Math.floor(wallet.seenAt.getTime() / 1000),
    ),
    {
      name: "earnest_relays",
      help: "Relays that wait to be sent (queued) or to be mined (signed).",
      type: "gauge",
      samples: queues.map(({ labels, found }) => ({ labels, value: found?.count ?? 0 })),
    },
    {
      name: "earnest_relays_oldest_age_seconds",
      help: "How long the oldest of them has waited since it was queued; 0 without any.",
      type: "gauge",
      samples: queues.map(({ labels, found }) => ({ labels, value: Math.max(0, found?.oldest ?? 0) })),
    },
    {
      name: "earnest_relays_of_hour",
      help: "Relays that accounts asked for within the last hour; RELAYS_PER_HOUR of the chain is the most.",
      type: "gauge",
      samples: ofHour,
    },
    {
      name: "earnest_relays_of_hour_ceiling",
      help: "RELAYS_PER_HOUR of the chain.",
      type: "gauge",
      samples: config.chains.map((chain) => ({
        labels: { chain_id: chain.chain_id },
        value: chain.relays_per_hour,
      })),
    },
    counter("mined", "Relays that were mined and did what they were for.", "mined"),
    counter("failed", "Relays that the contract refused, before or when they were mined.", "failed"),
    counter(
      "raised",
      "Stuck transactions that were replaced at their nonce by one that pays more.",
      "bumped",
    ),
    counter("overtaken", "Relays signed anew because another transaction used their nonce.", "overtaken"),
  ];
}
