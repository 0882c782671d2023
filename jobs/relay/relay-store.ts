import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import pg from "pg";
import type { Address, Hex } from "viem";
import type { Database, Transaction } from "../../db/client.ts";
import {
  and,
  asc,
  desc,
  eq,
  gt,
  inArray,
  isNull,
  max,
  notInArray,
  or,
  type SQL,
  sql,
  TransactionRollbackError,
} from "../../db/drizzle.ts";
import { relay, relayAttempt, relayer } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { gasOfRefusal } from "../../trade/relay/gas-budget.ts";
import { type RelayRow, readPauseAfterRevert } from "../../trade/relay/relay-queue.ts";
import { anyOf } from "../due-jobs.ts";
import { createBatchRows, isBatch } from "./batch-rows.ts";
import type { Attempt, CountForRelayer, MinedBlock, Relay, SignedTransaction } from "./relay-row.ts";

export type RelayStore = ReturnType<typeof createRelayStore>;

/** Whether a chain has queued or signed relays. */
export function hasOpenRelay(chainId: number): SQL {
  return anyOf(
    (["queued", "signed"] as const).map(
      (status) => sql`(
        select min(${relay.queuedAt}) from ${relay}
        where ${relay.chainId} = ${chainId} and ${relay.status} = ${status}) is not null`,
    ),
  );
}

/**
 * Makes the store of one chain's relays. Every change names the state that it was decided on, and does nothing if that
 * state has changed. So two workers that both hold the lease do no harm.
 */
export function createRelayStore(db: Database, chainId: number) {
  const ofChain = eq(relay.chainId, chainId);
  let fence: SQL | undefined;
  const batches = createBatchRows({ db, fence: () => fence, read, change, count });

  return {
    ...batches,

    /** Sets the fence: the condition under which this process may change relays, since it still holds the lease. */
    fenceBy(condition: SQL | undefined): void {
      fence = condition;
    },

    /** Whether there are queued or signed relays. */
    hasOpen: () => exists(inArray(relay.status, ["queued", "signed"])),

    /** Reads the signed relays. A batch counts as one, without its calls. */
    readSigned: () => read(and(ofChain, eq(relay.status, "signed"), isNull(relay.batchId)), 1000),

    /** Reads the queued relays, except those that pause. Each account's oldest comes before any account's second. */
    readQueued: (limit: number, pausing: string[]) =>
      read(
        and(
          ofChain,
          eq(relay.status, "queued"),
          pausing.length > 0 ? notInArray(relay.id, pausing) : undefined,
        ),
        limit,
        sql`row_number() over (
          partition by coalesce(${relay.accountId}, ${relay.orderId}, ${relay.id})
          order by ${relay.queuedAt}, ${relay.id})`,
      ),

    /** Whether a call that this wallet signed is in flight. */
    signerHasSigned: ({ signer }: RelayRow) =>
      exists(and(eq(relay.status, "signed"), eq(relay.signer, signer as Address))),

    /** Whether a relay of this order is in flight. */
    orderHasSigned: async ({ orderId }: RelayRow) =>
      orderId !== null && exists(and(eq(relay.orderId, orderId), eq(relay.status, "signed"))),

    /** Reads the seconds for which a relay is refused because its signer's call reverted. */
    readRest: (row: RelayRow) => readPauseAfterRevert(db, row),

    /** Reads the highest nonce in flight, or -1. */
    async readHighestNonce(sender: Address): Promise<number> {
      const [stored] = await db
        .select({ nonce: max(relay.nonce) })
        .from(relay)
        .where(and(ofChain, eq(relay.sender, sender), eq(relay.status, "signed")));
      return stored?.nonce ?? -1;
    },

    /**
     * Stores a signed transaction: a relay's first, or a replacement of its newest at the same nonce.
     *
     * @param calls the calls of a new batch
     * @returns whether the transaction may be broadcast; false if another worker took the relay or the nonce
     */
    async store(row: Relay, signed: SignedTransaction, calls: Relay[] = []): Promise<boolean> {
      const { sender, nonce, transactionHash } = signed;
      const sent = { status: "signed" as const, sender, nonce, transactionHash, error: null };
      try {
        return await inTransaction(db, async (tx) => {
          const isStored =
            calls.length > 0
              ? await batches.addBatch(tx, row, calls, signed)
              : await change(tx, row, { ...sent, batchId: null });
          if (!isStored) throw new TransactionRollbackError();
          await tx
            .insert(relayAttempt)
            .values({ relayId: row.id, ...signed })
            // The same bytes were stored earlier: their block left the chain, and their revert with it.
            .onConflictDoUpdate({
              target: relayAttempt.transactionHash,
              set: { reverted: false, signedBlock: signed.signedBlock, createdAt: sql`now()` },
            });
          if (row.status === "signed") await count(tx, "bumped");
          if (isBatch(row)) await batches.moveCalls(tx, row.id, ["signed"], { transactionHash });
          return true;
        });
      } catch (error) {
        if (isNonceTaken(error) || error instanceof TransactionRollbackError) return false;
        throw error;
      }
    },

    /** Reopens a failed relay: one of its transactions is on the chain after all. */
    adopt: (row: Relay, { sender, nonce, transactionHash }: Attempt) =>
      inTransaction(db, async (tx) => {
        if (!(await change(tx, row, { status: "signed", sender, nonce, transactionHash }))) return;
        if (isBatch(row)) {
          await batches.moveCalls(tx, row.id, ["queued"], { status: "signed", transactionHash });
        }
      }),

    /** Ends a relay by its mined transaction. An error means that the transaction reverted. */
    finish: (row: Relay, attempt: Attempt, block: MinedBlock, error: string | null, blamesSigner: boolean) =>
      inTransaction(db, async (tx) => {
        const { sender, nonce, transactionHash } = attempt;
        const status = error === null ? ("mined" as const) : ("failed" as const);
        const [gasUsed, gasCharged] = [Number(block.gasUsed), Number(block.gasCharged)];
        const mined = { minedBlock: block.blockNumber, minedBlockHash: block.blockHash, gasCharged };
        const revertedAt = blamesSigner ? { revertedAt: sql`now()` } : {};
        const ended = { status, sender, nonce, transactionHash, error, ...mined, ...revertedAt };
        if (!(await change(tx, row, ended))) return;
        await count(tx, status);
        await count(tx, "gasUsed", gasUsed);
        if (error === null) return;
        await count(tx, "gasReverted", gasUsed);
        await tx
          .update(relayAttempt)
          .set({ reverted: true })
          .where(eq(relayAttempt.transactionHash, transactionHash));
      }),

    /** Reads the relays mined after a block, newest first: an order's or all. A batch stands for its calls. */
    readMined: (after: bigint, limit: number, orderId?: string): Promise<RelayRow[]> =>
      db
        .select()
        .from(relay)
        .where(
          and(
            ofChain,
            eq(relay.status, "mined"),
            gt(relay.minedBlock, after),
            isNull(relay.batchId),
            orderId === undefined
              ? undefined
              : or(
                  eq(relay.orderId, orderId),
                  sql`${relay.id} in (select call.batch_id from earnest.relay as call where call.order_id = ${orderId})`,
                ),
          ),
        )
        .orderBy(desc(relay.minedBlock))
        .limit(limit),

    /** Reopens a mined relay whose block left the chain. The relay keeps its transactions and its nonce. */
    reopen: (row: RelayRow): Promise<boolean> =>
      inTransaction(db, async (tx) => {
        const open = { status: "signed" as const, minedBlock: null, minedBlockHash: null };
        if (!(await change(tx, row, open))) return false;
        if (isBatch(row)) await batches.moveCalls(tx, row.id, ["mined", "failed"], open);
        return true;
      }),

    /** Ends a relay whose calls a confirmed transaction of somebody else made. */
    finishElsewhere: (row: Relay, transactionHash: Hex) =>
      inTransaction(db, async (tx) => {
        const ended = { status: "mined" as const, transactionHash, error: null, gasCharged: gasOfRefusal };
        if (await change(tx, row, ended)) await count(tx, "mined");
      }),

    /** Ends a relay without a transaction that can be mined. */
    refuse: (row: Relay, error: string) =>
      inTransaction(db, async (tx) => {
        if (await change(tx, row, { status: "failed", error, gasCharged: gasOfRefusal })) {
          await count(tx, "failed");
        }
      }),

    /** Queues a relay again whose nonce another transaction used. A batch ends, and its calls are queued again. */
    requeue: (row: Relay) =>
      inTransaction(db, async (tx) => {
        const unsigned = { sender: null, nonce: null, transactionHash: null };
        const status = isBatch(row) ? ("failed" as const) : ("queued" as const);
        if (!(await change(tx, row, { status, ...unsigned }))) return;
        if (isBatch(row)) {
          await batches.moveCalls(tx, row.id, ["signed"], { status: "queued", transactionHash: null });
        }
        await count(tx, "overtaken");
      }),
  };

  async function exists(condition: SQL | undefined): Promise<boolean> {
    const rows = await db.select({ id: relay.id }).from(relay).where(and(ofChain, condition)).limit(1);
    return rows.length > 0;
  }

  async function read(condition: SQL | undefined, limit: number, first?: SQL): Promise<Relay[]> {
    const rows = await db
      .select()
      .from(relay)
      .where(condition)
      .orderBy(...(first ? [first] : []), asc(relay.queuedAt), asc(relay.id))
      .limit(limit);
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const attempts = await db
      .select()
      .from(relayAttempt)
      .where(inArray(relayAttempt.relayId, ids))
      .orderBy(asc(relayAttempt.createdAt));
    const byRelay = Map.groupBy(attempts, ({ relayId }) => relayId);
    return rows.map((row) => ({ ...row, attempts: byRelay.get(row.id) ?? [] }));
  }

  async function change(
    target: Database | Transaction,
    row: RelayRow,
    values: PgUpdateSetSource<typeof relay>,
  ): Promise<boolean> {
    const changed = await target
      .update(relay)
      .set({ ...values, updatedAt: sql`now()` })
      .where(
        and(
          eq(relay.id, row.id),
          eq(relay.status, row.status),
          sql`${relay.transactionHash} is not distinct from ${row.transactionHash}`,
          fence,
        ),
      )
      .returning({ id: relay.id });
    return changed.length > 0;
  }

  async function count(tx: Transaction, what: Parameters<CountForRelayer>[1], by = 1): Promise<void> {
    if (by === 0) return;
    await tx
      .update(relayer)
      .set({ [what]: sql`${relayer[what]} + ${by}` })
      .where(eq(relayer.chainId, chainId));
  }
}

function isNonceTaken(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "23505" && error.constraint === "relay_nonce";
}
