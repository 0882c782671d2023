import { and, gte, isNull, sql } from "../../db/drizzle.ts";
import { divergence } from "../../db/schema.ts";
import { readIncompleteIndexes, readIndexes } from "../chain/watched-chains.ts";
import type { Context } from "../context.ts";
import type { Metric } from "./metric.ts";

/** Reads the state of the index of each served chain, and the differences between ledger, index and contract. */
export async function readChainMetrics({ db, config }: Context): Promise<Metric[]> {
  const chainIds = config.chains.map((chain) => chain.chain_id);
  if (chainIds.length === 0) return [];
  const [watches, open, incomplete] = await Promise.all([
    readIndexes(db, chainIds),
    db
      .select({ chainId: divergence.chainId, count: sql<number>`count(*)::int` })
      .from(divergence)
      // A difference that was seen once may come from reading between two blocks.
      .where(and(isNull(divergence.resolvedAt), gte(divergence.observations, 2)))
      .groupBy(divergence.chainId),
    readIncompleteIndexes(db),
  ]);
  const ofWatches = (name: string, help: string, value: (watch: Watch) => number | null): Metric => ({
    name: `earnest_${name}`,
    help,
    type: "gauge",
    samples: watches.flatMap((watch) => {
      const measured = value(watch);
      return measured === null ? [] : [{ labels: { chain_id: watch.chainId }, value: measured }];
    }),
  });
  const seconds = (time: Date) => Math.floor(time.getTime() / 1000);
  return [
    ofWatches(
      "index_off_chain",
      "1 while the index has final blocks that a reorganisation removed.",
      (watch) => Number(watch.indexState === "off_chain"),
    ),
    ofWatches("index_behind", "1 while the index does not keep up with the chain.", (watch) =>
      Number(watch.indexState === "behind"),
    ),
    ofWatches("index_lag_blocks", "Blocks between the index and the chain's head.", (watch) =>
      Math.max(0, Number(watch.headBlock - watch.indexedBlock)),
    ),
    ofWatches("index_seen_timestamp_seconds", "Time of the worker's last check of the index.", (watch) =>
      seconds(watch.checkedAt),
    ),
    ofWatches(
      "reconciled_timestamp_seconds",
      "Time at which the last comparison of all watched orders ended.",
      (watch) => (watch.reconciledAt ? seconds(watch.reconciledAt) : null),
    ),
    {
      name: "earnest_index_incomplete",
      help: "1 while events of the index differ from those of the chain.",
      type: "gauge",
      samples: chainIds.map((chainId) => ({
        labels: { chain_id: chainId },
        value: Number(incomplete.some((row) => row.chainId === chainId)),
      })),
    },
    {
      name: "earnest_ledger_divergences",
      help: "Differences between ledger, index and contract that time alone does not resolve.",
      type: "gauge",
      samples: chainIds.map((chainId) => ({
        labels: { chain_id: chainId },
        value: open.find((row) => row.chainId === chainId)?.count ?? 0,
      })),
    },
  ];
}

type Watch = Awaited<ReturnType<typeof readIndexes>>[number];
