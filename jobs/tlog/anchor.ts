import type { Logger } from "pino";
import { type Address, encodeFunctionData, toHex } from "viem";
import { anchorsAbi } from "../../abis/anchors.ts";
import type { Chain } from "../../config/config.ts";
import type { Database } from "../../db/client.ts";
import { and, eq, isNull, sql } from "../../db/drizzle.ts";
import { type AnchorRow, readLargestAnchor } from "../../db/log-anchors.ts";
import { logHead, logPublisher, relay, relayer } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { type Checkpoint, parseCheckpoint } from "../../protocol/tlog/checkpoint.ts";
import { parseNote } from "../../protocol/tlog/note.ts";
import { gasBounds } from "../../trade/relay/gas-bounds.ts";
import { findRelay, queueRelay } from "../../trade/relay/relay-queue.ts";
import { compareToAnchor } from "./continuity.ts";
import { loadTree } from "./stored-tree.ts";

/** The result of an attempt to anchor the shown tree. */
export type Anchoring =
  | "queued"
  /** no checkpoint is shown, or the log is halted */
  | "nothing to anchor"
  /** the tree has not grown since the last anchor */
  | "not grown"
  /** the last anchor is too recent, or still on its way */
  | "too early"
  /** the parties' calls wait, or the wallet's balance is low: both come first */
  | "parties first"
  /** the chain has an anchor of this wallet that the tree does not continue */
  | "contradicted";

/** How long a party's call may wait in the queue before an anchor gives way. */
const partyWait = sql`interval '30 seconds'`;

/**
 * Returns a function that anchors the shown tree when that is due. Each tree is sent once, however many workers call
 * it.
 */
export function createAnchoring(
  db: Database,
  chain: Chain,
  publisher: Address,
  { every, log }: { every: number; log: Logger },
): () => Promise<Anchoring> {
  const contract = chain.anchors?.contract as Address;
  const chainId = chain.chain_id;
  const publisherKey = and(eq(logPublisher.chainId, chainId), eq(logPublisher.address, publisher));
  let alertedSize: bigint | null = null;

  return async () => {
    await db.insert(logPublisher).values({ chainId, address: publisher }).onConflictDoNothing();
    const shown = await readShown(db);
    if (!shown) return "nothing to anchor";
    const largest = await readLargestAnchor(db, { chainId, contract, publisher });
    if (largest && !(await isContinued(largest, shown))) {
      if (alertedSize !== largest.size) alarm(largest, shown);
      alertedSize = largest.size;
      await haltIfContradicted(largest);
      return "contradicted";
    }
    if (largest?.size === BigInt(shown.size)) return "not grown";
    if (await isWalletNeeded(db, chain)) return "parties first";
    return await queue(shown);
  };

  /** Whether the anchored tree is an earlier state of our tree. */
  async function isContinued({ size, root }: AnchorRow, shown: Checkpoint): Promise<boolean> {
    if (size > BigInt(shown.size)) return false;
    const tree = await loadTree(db, Number(size));
    return tree !== null && toHex(tree.root) === root;
  }

  /**
   * Queues the anchor in one transaction. A concurrent worker waits for the wallet's row and finds the queued anchor.
   */
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
      const sent = last.size === 0 ? null : await findRelay(tx, relayKeyOf(chainId, last.size));
      if (sent?.status === "queued" || sent?.status === "signed") return "too early";
      if (sent?.status === "mined" && last.size >= size) return "not grown";
      await queueRelay(tx, {
        key: relayKeyOf(chainId, size),
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
      log.info({ chain_id: chainId, size }, "an anchor of the log's tree is queued");
      return "queued";
    });
  }

  /**
   * Halts the log, unless the tree that is not shown yet continues the anchor. The sequencer clears such a halt itself.
   */
  async function haltIfContradicted(largest: AnchorRow): Promise<void> {
    const [head] = await db.select({ size: logHead.size }).from(logHead);
    const contradiction = head && (await compareToAnchor(db, head.size, largest));
    if (!contradiction) return;
    await db
      .update(logHead)
      .set({ halted: contradiction.code, haltedBecause: contradiction.because, haltedAt: sql`now()` })
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
      "the log does not continue a tree that was anchored on the chain: nothing is anchored",
    );
  }
}

/** Depends on the size alone: a log never has two anchored trees of one size, whatever happens to the database. */
const relayKeyOf = (chainId: number, size: number) => `log:anchor:${chainId}:${size}`;

/** Reads the published checkpoint; null if there is none, or if the log is halted. */
async function readShown(db: Database): Promise<Checkpoint | null> {
  const [head] = await db.select({ shown: logHead.published, halted: logHead.halted }).from(logHead);
  if (!head?.shown || head.halted !== null) return null;
  const shown = parseCheckpoint(parseNote(head.shown).text);
  return shown.size > 0 ? shown : null;
}

/** Whether parties need the wallet, or its balance is low. */
async function isWalletNeeded(db: Database, { chain_id, relayer_low_balance }: Chain): Promise<boolean> {
  const [wallet] = await db
    .select({
      balance: relayer.balance,
      waiting: relayer.waiting,
      isBehind: sql<boolean>`exists (
        select from ${relay}
        where ${relay.chainId} = ${chain_id} and ${relay.status} = 'queued'
          and ${relay.queuedAt} < now() - ${partyWait})`,
    })
    .from(relayer)
    .where(eq(relayer.chainId, chain_id));
  // The wallet's row is not written yet.
  if (!wallet) return true;
  return wallet.waiting !== null || wallet.isBehind || wallet.balance < relayer_low_balance;
}
