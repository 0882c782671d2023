import {
  and,
  asc,
  desc,
  eq,
  gt,
  inArray,
  isNotNull,
  isNull,
  max,
  notInArray,
  or,
  type SQL,
  sql,
  TransactionRollbackError,
} from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import pg from "pg";
import type { Address, Hex } from "viem";
import type { Database, Transaction } from "../../db/client.ts";
import { fact, relay, relayAttempt, relayer } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { gasOfRefusal } from "../../trade/relay/budget.ts";
import { type RelayRow, readRestAfterRevert } from "../../trade/relay/queue.ts";
import { anyOf } from "../agenda.ts";
import { createBatchBook, isBatch } from "./batch-book.ts";

/** A transaction that was signed for a relay. */
export type Attempt = typeof relayAttempt.$inferSelect;

/** A transaction that is to be stored. */
export type Signed = Omit<Attempt, "relayId" | "reverted" | "createdAt">;

/** Where a transaction was mined, and the gas that it took. */
export type Block = { blockNumber: bigint; blockHash: Hex; gasUsed: bigint };

/** A relay with all that was ever signed for it, oldest first. */
export type Relay = RelayRow & { attempts: Attempt[] };

/** Why nothing is sent although something is queued. */
export type Waiting = "balance" | "gas_price";

export type RelayBook = ReturnType<typeof createRelayBook>;

/** Whether anything is queued or on its way on a chain. */
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
 * What stands in the database of one chain's relays. Every change names the state it was decided on and does nothing where
 * that has changed, so that two workers who both believe to be alone do no harm.
 */
export function createRelayBook(db: Database, chainId: number) {
  const ofChain = eq(relay.chainId, chainId);
  let fence: SQL | undefined;

  const batches = createBatchBook({ db, chainId, fence: () => fence, read, change, count });

  return {
    ...batches,

    /** Has every change of a relay depend on a condition from here on: that whoever drains still may. */
    fenceBy(condition: SQL | undefined): void {
      fence = condition;
    },

    /** Whether anything is queued or on its way. */
    async hasOpen(): Promise<boolean> {
      const [row] = await db
        .select({ id: relay.id })
        .from(relay)
        .where(and(ofChain, inArray(relay.status, ["queued", "signed"])))
        .limit(1);
      return row !== undefined;
    },

    /** What is on its way; of a batch its transaction alone. */
    readSigned: () => read(and(ofChain, eq(relay.status, "signed"), isNull(relay.batchId)), 1000),

    /**
     * What waits to be sent, without those that rest: first what each account has waited for longest, then the second of
     * each, and so on, so that one that queues a lot comes before nobody.
     */
    readQueued: (limit: number, resting: string[]) =>
      read(
        and(
          ofChain,
          eq(relay.status, "queued"),
          resting.length > 0 ? notInArray(relay.id, resting) : undefined,
        ),
        limit,
        sql`row_number() over (
          partition by coalesce(${relay.accountId}, ${relay.orderId}, ${relay.id})
          order by ${relay.queuedAt}, ${relay.id})`,
      ),

    /** Whether a call that a wallet signed is on its way. */
    async signerHasSigned({ signer }: RelayRow): Promise<boolean> {
      const [row] = await db
        .select({ id: relay.id })
        .from(relay)
        .where(and(ofChain, eq(relay.status, "signed"), eq(relay.signer, signer as Address)))
        .limit(1);
      return row !== undefined;
    },

    /** Seconds for which a relay is refused, as one of its signer's was mined for nothing. */
    readRest: (row: RelayRow) => readRestAfterRevert(db, row),

    /** The highest nonce of what is on its way, or -1. */
    async readHighestNonce(sender: Address): Promise<number> {
      const [stored] = await db
        .select({ nonce: max(relay.nonce) })
        .from(relay)
        .where(and(ofChain, eq(relay.sender, sender), eq(relay.status, "signed")));
      return stored?.nonce ?? -1;
    },

    /** Whether another relay of the same order is on its way. */
    async orderHasSigned({ orderId }: RelayRow): Promise<boolean> {
      if (orderId === null) return false;
      const [row] = await db
        .select({ id: relay.id })
        .from(relay)
        .where(and(eq(relay.orderId, orderId), eq(relay.status, "signed")))
        .limit(1);
      return row !== undefined;
    },

    /** Where the chain had the order's newest facts, and whether one was reverted within so many milliseconds. */
    async readPlaces(orderId: string, within: number) {
      const [blocks, [lately]] = await Promise.all([
        db
          .select({ blockNumber: fact.blockNumber, blockHash: fact.blockHash })
          .from(fact)
          .where(
            and(
              eq(fact.orderId, orderId),
              isNotNull(fact.blockNumber),
              sql`not exists (
                select 1 from earnest.fact x
                where x.order_id = ${orderId} and x.type = 'fact.reverted' and x.data ->> 'fact_id' = ${fact.id})`,
            ),
          )
          .orderBy(desc(fact.seq))
          .limit(3),
        db
          .select({ seq: fact.seq })
          .from(fact)
          .where(
            and(
              eq(fact.orderId, orderId),
              eq(fact.type, "fact.reverted"),
              gt(fact.recordedAt, sql`now() - make_interval(secs => ${within / 1000})`),
            ),
          )
          .limit(1),
      ]);
      return { reverted: lately !== undefined, blocks: blocks as { blockNumber: bigint; blockHash: Hex }[] };
    },

    /**
     * Stores a signed transaction: a relay's first, or one that replaces its newest at the same nonce.
     *
     * @param calls what it makes, where it is a new batch
     * @returns whether it may be broadcast; false when the relay or the nonce went to another meanwhile
     */
    async store(row: Relay, signed: Signed, calls: Relay[] = []): Promise<boolean> {
      const { sender, nonce, transactionHash } = signed;
      const sent = { status: "signed" as const, sender, nonce, transactionHash, error: null };
      try {
        return await inTransaction(db, async (tx) => {
          const isStored =
            calls.length > 0
              ? await batches.addBatch(tx, row, calls, signed)
              : await change(tx, row, { ...sent, batchId: null, batchIndex: null });
          if (!isStored) throw new TransactionRollbackError();
          await tx
            .insert(relayAttempt)
            .values({ relayId: row.id, ...signed })
            // The very same bytes again: what was mined and did nothing left the chain with its block.
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

    /** Takes up again a relay that was given up, as one of its transactions is on the chain after all. */
    adopt: (row: Relay, { sender, nonce, transactionHash }: Attempt) =>
      inTransaction(db, async (tx) => {
        if (!(await change(tx, row, { status: "signed", sender, nonce, transactionHash }))) return;
        if (isBatch(row)) {
          await batches.moveCalls(tx, row.id, ["queued"], { status: "signed", transactionHash });
        }
      }),

    /** Ends a relay by the transaction that was mined. An error means that it did nothing. */
    finish: (row: Relay, attempt: Attempt, block: Block, error: string | null, blamed: boolean) =>
      inTransaction(db, async (tx) => {
        const { sender, nonce, transactionHash } = attempt;
        const status = error === null ? ("mined" as const) : ("failed" as const);
        const gasCharged = Number(block.gasUsed);
        const mined = { minedBlock: block.blockNumber, minedBlockHash: block.blockHash, gasCharged };
        const revertedAt = blamed ? { revertedAt: sql`now()` } : {};
        const ended = { status, sender, nonce, transactionHash, error, ...mined, ...revertedAt };
        if (!(await change(tx, row, ended))) return;
        await count(tx, status);
        await count(tx, "gasUsed", gasCharged);
        if (error !== null) await count(tx, "gasReverted", gasCharged);
        if (error !== null) {
          await tx
            .update(relayAttempt)
            .set({ reverted: true })
            .where(eq(relayAttempt.transactionHash, transactionHash));
        }
      }),

    /** Mined relays after a block, the newest first: an order's, or all; of calls of a batch the batch. */
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

    /** Takes back that a relay was mined. It keeps its transactions and its nonce. */
    reopen: (row: RelayRow): Promise<boolean> =>
      inTransaction(db, async (tx) => {
        const open = { status: "signed" as const, minedBlock: null, minedBlockHash: null };
        if (!(await change(tx, row, open))) return false;
        if (isBatch(row)) await batches.moveCalls(tx, row.id, ["mined", "failed"], open);
        return true;
      }),

    /** Ends a relay of which nothing was sent, or nothing can be mined any more. */
    refuse: (row: Relay, error: string) =>
      inTransaction(db, async (tx) => {
        if (await change(tx, row, { status: "failed", error, gasCharged: gasOfRefusal })) {
          await count(tx, "failed");
        }
      }),

    /** Queues a relay again, whose transactions can never be mined: their nonce was used by another. Of a batch, its calls. */
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

    /** Writes down what the wallet holds and the chain takes, in wei. */
    async see(seen: { address: Address; balance: bigint; gasPrice: bigint }): Promise<void> {
      const values = { ...seen, seenAt: new Date() };
      await db
        .insert(relayer)
        .values({ chainId, ...values })
        .onConflictDoUpdate({ target: relayer.chainId, set: values });
    },

    /** Writes down why nothing is sent, or that there is no reason. */
    async wait(waiting: Waiting | null): Promise<void> {
      await db
        .update(relayer)
        .set({ waiting, waitingSince: waiting === null ? null : sql`now()` })
        .where(and(eq(relayer.chainId, chainId), sql`${relayer.waiting} is distinct from ${waiting}`, fence));
    },
  };

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

  /** Changes a row if it still is as it was read. */
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

  type Counted = "mined" | "failed" | "bumped" | "overtaken" | "gasUsed" | "gasReverted";

  async function count(tx: Transaction, what: Counted, by = 1): Promise<void> {
    await tx
      .update(relayer)
      .set({ [what]: sql`${relayer[what]} + ${by}` })
      .where(eq(relayer.chainId, chainId));
  }
}

function isNonceTaken(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "23505" && error.constraint === "relay_nonce";
}
