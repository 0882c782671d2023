import { formatEther, formatGwei } from "viem";
import { and, gt, inArray, sql } from "../../db/drizzle.ts";
import { relay } from "../../db/schema.ts";
import { readGasOfHour, shareGas } from "../../trade/relay/gas-budget.ts";
import { readRelayers } from "../chain/watched-chains.ts";
import type { Context } from "../context.ts";
import type { Metric } from "./metric.ts";

const openStatuses = ["queued", "signed"] as const;

/** Reads the state of the relayer on each served chain. */
export async function readRelayMetrics({ db, config }: Context): Promise<Metric[]> {
  const chainIds = config.chains.map((chain) => chain.chain_id);
  if (chainIds.length === 0) return [];
  const [wallets, reverted, open] = await Promise.all([
    readRelayers(db, chainIds),
    db
      .select({ chainId: relay.chainId, count: sql<number>`count(*)::int` })
      .from(relay)
      .where(gt(relay.revertedAt, sql`now() - interval '1 hour'`))
      .groupBy(relay.chainId),
    db
      .select({
        chainId: relay.chainId,
        status: relay.status,
        count: sql<number>`count(*)::int`,
        oldest: sql<number>`extract(epoch from now() - min(${relay.queuedAt}))::float`,
      })
      .from(relay)
      .where(and(inArray(relay.status, [...openStatuses]), sql`${relay.key} not like 'batch:%'`))
      .groupBy(relay.chainId, relay.status),
  ]);
  const ofHour = await Promise.all(
    config.chains.map(async ({ chain_id, relay_gas_per_hour }) => ({
      chain_id,
      used: await readGasOfHour(db, chain_id),
      ceiling: relay_gas_per_hour,
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
    return row ? [{ ...row, chain }] : [];
  });
  type Wallet = (typeof seen)[number];
  const counter = (what: string, help: string, of: keyof Wallet) =>
    ofWallets(`${what}_total`, help, (wallet) => Number(wallet[of]), "counter");

  return [
    ofWallets("balance_ether", "Balance of the relaying wallet, in units of 10^18 wei.", (wallet) =>
      Number(formatEther(wallet.balance)),
    ),
    ofWallets("balance_low", "1 while the wallet holds less than RELAYER_LOW_BALANCE.", (wallet) =>
      Number(wallet.balance < wallet.chain.relayer_low_balance),
    ),
    ofWallets("gas_price_gwei", "Price of a unit of gas on the chain, tip included.", (wallet) =>
      wallet.gasPrice === null ? null : Number(formatGwei(wallet.gasPrice)),
    ),
    ofWallets("gas_price_ceiling_gwei", "Highest allowed price of a unit of gas: MAX_FEE_GWEI.", (wallet) =>
      Number(formatGwei(wallet.chain.max_fee_per_gas)),
    ),
    ofWallets("waiting_for_balance", "1 while relays wait for native coin.", (wallet) =>
      Number(wallet.waiting === "balance"),
    ),
    ofWallets("waiting_for_gas_price", "1 while relays wait for cheaper gas.", (wallet) =>
      Number(wallet.waiting === "gas_price"),
    ),
    ofWallets("seen_timestamp_seconds", "Time of the worker's last check of the wallet.", (wallet) =>
      Math.floor(wallet.seenAt.getTime() / 1000),
    ),
    {
      name: "earnest_relays",
      help: "Relays that wait to be sent (queued) or to be mined (signed).",
      type: "gauge",
      samples: queues.map(({ labels, found: result }) => ({ labels, value: result?.count ?? 0 })),
    },
    {
      name: "earnest_relays_oldest_age_seconds",
      help: "Age of the oldest of these relays, since it was queued; 0 without one.",
      type: "gauge",
      samples: queues.map(({ labels, found: result }) => ({
        labels,
        value: Math.max(0, result?.oldest ?? 0),
      })),
    },
    {
      name: "earnest_relay_gas_of_hour",
      help: "Gas of relays that accounts requested within the last hour. An open relay counts with the most it may use.",
      type: "gauge",
      samples: ofHour.flatMap(({ chain_id, used }) => [
        { labels: { chain_id, orders: "funded" }, value: used.funded },
        { labels: { chain_id, orders: "unfunded" }, value: used.unfunded },
      ]),
    },
    {
      name: "earnest_relay_gas_of_hour_ceiling",
      help: "RELAY_GAS_PER_HOUR of the chain for funded orders, and the part of it for unfunded orders.",
      type: "gauge",
      samples: ofHour.flatMap(({ chain_id, ceiling }) => [
        { labels: { chain_id, orders: "funded" }, value: ceiling },
        { labels: { chain_id, orders: "unfunded" }, value: shareGas(ceiling).unfunded },
      ]),
    },
    {
      name: "earnest_relay_reverted_of_hour",
      help: "Relays of the last hour that reverted through their signer's fault. The signer's next relays are refused.",
      type: "gauge",
      samples: chainIds.map((chain_id) => ({
        labels: { chain_id },
        value: reverted.find(({ chainId }) => chainId === chain_id)?.count ?? 0,
      })),
    },
    counter("mined", "Relays that were mined and succeeded.", "mined"),
    counter("failed", "Relays that the contract refused, before or after they were mined.", "failed"),
    counter("raised", "Stuck transactions that were replaced at their nonce with a higher fee.", "bumped"),
    counter("gas_used", "Gas that mined relays used.", "gasUsed"),
    counter("gas_reverted", "Gas that reverted relays used.", "gasReverted"),
    counter(
      "overtaken",
      "Relays that were signed again because another transaction used their nonce.",
      "overtaken",
    ),
  ];
}
