import { and, eq, isNull, sql } from "drizzle-orm";
import type { Logger } from "pino";
import { type Address, encodeFunctionData, toHex } from "viem";
import { anchorsAbi } from "../../abis/anchors.ts";
import type { Chain } from "../../config/config.ts";
import type { Database } from "../../db/client.ts";
import { type AnchorRow, readLargestAnchor } from "../../db/log-anchors.ts";
import { logHead, logPublisher, relay, relayer } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { type Checkpoint, parseCheckpoint } from "../../protocol/tlog/checkpoint.ts";
import { parseNote } from "../../protocol/tlog/note.ts";
import { gasBounds } from "../../trade/relay/gas-bounds.ts";
import { findRelay, queueRelay } from "../../trade/relay/relay-queue.ts";
import { compareToAnchor } from "./continuity.ts";
import { loadTree } from "./stored-tree.ts";

/** What became of the tree that the log shows. */
export type Anchoring =
  | "queued"
  /** nothing is shown yet, or the log is halted */
  | "nothing to anchor"
  /** the tree has not grown since the last anchor */
  | "not grown"
  /** the last anchor is too young, or on its way yet */
  | "too early"
  /** calls of parties wait, or the wallet runs low: both come first */
  | "parties first"
  /** the chain has an anchor of ours that the tree does not continue */
  | "contradicted";

/** How long a call of somebody else's may be queued, before an anchor waits for it. */
const usualWait = sql`interval '30 seconds'`;

/** Makes what anchors the tree that the log shows, when that is due. Whoever runs it how often, each tree is sent once. */
export function createAnchoring(
  db: Database,
  chain: Chain,
  publisher: Address,
  { every, log }: { every: number; log: Logger },
): () => Promise<Anchoring> {
  const contract = chain.anchors?.contract as Address;
  const chainId = chain.chain_id;
  const publisherKey = and(eq(logPublisher.chainId, chainId), eq(logPublisher.address, publisher));
  let told: bigint | null = null;

  return async () => {
    await db.insert(logPublisher).values({ chainId, address: publisher }).onConflictDoNothing();
    const shown = await readShown(db);
    if (!shown) return "nothing to anchor";
    const largest = await readLargestAnchor(db, { chainId, contract, publisher });
    if (largest && !(await isContinued(largest, shown))) {
      if (told !== largest.size) alarm(largest, shown);
      told = largest.size;
      await accuse(largest);
      return "contradicted";
    }
    if (largest?.size === BigInt(shown.size)) return "not grown";
    if (await isNeeded(db, chain)) return "parties first";
    return await queue(shown);
  };

  /** Whether our own tree once was the one that is on the chain. */
  async function isContinued({ size, root }: AnchorRow, shown: Checkpoint): Promise<boolean> {
    if (size > BigInt(shown.size)) return false;
    const tree = await loadTree(db, Number(size));
    return tree !== null && toHex(tree.root) === root;
  }

  /** One transaction: whoever else comes to the same wallet's row waits, and finds what was queued. */
  function queue({ size, root }: Checkpoint): Promise<Anchoring> {
    return inTransaction(db, async (tx) => {
      const [last] = await tx
        .select({
          size: logPublisher.size,
          isYoung: sql<boolean>`coalesce(${logPublisher.queuedAt} > now() - make_interval(secs => ${every}), false)`,
        })
        .from(logPublisher)
        .where(publisherKey)
        .for("update");
      if (!last || last.isYoung) return "too early";
      const sent = last.size === 0 ? null : await findRelay(tx, intentOf(chainId, last.size));
      if (sent?.status === "queued" || sent?.status === "signed") return "too early";
      if (sent?.status === "mined" && last.size >= size) return "not grown";
      await queueRelay(tx, {
        intent: intentOf(chainId, size),
        chainId,
        orderId: null,
        to: contract,
        data: encodeFunctionData({
          abi: anchorsAbi,
          functionName: "anchor",
          args: [toHex(root), BigInt(size)],
        }),
        gasBound: gasBounds.anchor,
      });
      await tx.update(logPublisher).set({ size, queuedAt: sql`now()` }).where(publisherKey);
      log.info({ chain_id: chainId, size }, "the log's tree is queued to be anchored");
      return "queued";
    });
  }

  /** Halts the log, unless the tree that is not shown yet continues the anchor. The sequencer takes that back itself. */
  async function accuse(largest: AnchorRow): Promise<void> {
    const [head] = await db.select({ size: logHead.size }).from(logHead);
    const found = head && (await compareToAnchor(db, head.size, largest));
    if (!found) return;
    await db
      .update(logHead)
      .set({ halted: found.code, haltedBecause: found.because, haltedAt: sql`now()` })
      .where(and(isNull(logHead.halted), eq(logHead.size, head.size)));
  }

  function alarm({ size, root, transactionHash }: AnchorRow, shown: Checkpoint): void {
    log.error(
      {
        alert: "log_anchored_otherwise",
        chain_id: chainId,
        anchored: { size: String(size), root, transaction: transactionHash },
        shown: { size: shown.size, root: toHex(shown.root) },
      },
      "the chain has a tree of the log that the log does not continue: nothing is anchored",
    );
  }
}

/** By the size alone: of one log no two trees of a size are anchored, whatever becomes of the database. */
const intentOf = (chainId: number, size: number) => `log:anchor:${chainId}:${size}`;

/** The checkpoint that everybody sees; null where there is none, and while the log is halted. */
async function readShown(db: Database): Promise<Checkpoint | null> {
  const [head] = await db.select({ shown: logHead.shown, halted: logHead.halted }).from(logHead);
  if (!head?.shown || head.halted !== null) return null;
  const shown = parseCheckpoint(parseNote(head.shown).text);
  return shown.size > 0 ? shown : null;
}

/** Whether others need the wallet, or what it holds. */
async function isNeeded(db: Database, { chain_id, relayer_low_balance }: Chain): Promise<boolean> {
  const [wallet] = await db
    .select({
      balance: relayer.balance,
      waiting: relayer.waiting,
      isBehind: sql<boolean>`exists (
        select from ${relay}
        where ${relay.chainId} = ${chain_id} and ${relay.status} = 'queued'
          and ${relay.queuedAt} < now() - ${usualWait})`,
    })
    .from(relayer)
    .where(eq(relayer.chainId, chain_id));
  // Nobody has looked at the wallet yet.
  if (!wallet) return true;
  return wallet.waiting !== null || wallet.isBehind || wallet.balance < relayer_low_balance;
}
