import { and, eq, inArray, ne, type SQL, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import type { Database, Transaction } from "../../db/client.ts";
import { relay, relayAttempt } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { RelayRow } from "../../trade/relay/queue.ts";
import type { Attempt, Block, Relay, Signed } from "./book.ts";

const prefix = "batch:";

/** The intent of the relay that a batch is. */
export const batchIntent = (id: string) => prefix + id;

/** Whether a relay is the transaction of a batch, whose calls are relays of their own. */
export function isBatch({ intent }: Pick<RelayRow, "intent">): boolean {
  return intent.startsWith(prefix);
}

/** What became of a call of a batch: why it did nothing, if so, and whether that was its signer's doing. */
export type Ended = { id: string; error: string | null; gasUsed: number; blamed: boolean };

/** What the book of relays lends to that of batches. */
type Pen = {
  db: Database;
  chainId: number;
  fence: () => SQL | undefined;
  read: (condition: SQL | undefined, limit: number) => Promise<Relay[]>;
  change: (
    target: Database | Transaction,
    row: RelayRow,
    values: PgUpdateSetSource<typeof relay>,
  ) => Promise<boolean>;
  count: (
    tx: Transaction,
    what: "mined" | "failed" | "gasUsed" | "gasReverted",
    by?: number,
  ) => Promise<void>;
};

/** Calls that a batch of any setting has at most. */
const mostCalls = 1000;

/** What stands in the database of batches and their calls. A batch's row is changed before those of its calls. */
export function createBatchBook({ db, chainId, fence, read, change, count }: Pen) {
  return {
    /** The calls that are on their way with a batch. */
    readCalls: async ({ id }: RelayRow): Promise<Relay[]> => {
      const calls = await read(and(eq(relay.batchId, id), eq(relay.status, "signed")), mostCalls);
      return calls.sort((a, b) => (a.batchIndex as number) - (b.batchIndex as number));
    },

    /** A batch, which may have ended. */
    readBatch: async (id: string): Promise<Relay | null> => (await read(eq(relay.id, id), 1))[0] ?? null,

    /**
     * Takes up batches that ended without their calls, as an older release, which knows no calls, leaves them: one that
     * was mined is followed anew, the calls of others are queued.
     */
    async endHalves(): Promise<void> {
      const halves = await read(
        and(
          eq(relay.chainId, chainId),
          ne(relay.status, "signed"),
          sql`${relay.id} in (
            select call.batch_id from earnest.relay as call
            where call.chain_id = ${chainId} and call.status = 'signed' and call.batch_id is not null)`,
        ),
        mostCalls,
      );
      for (const half of halves) {
        await inTransaction(db, async (tx) => {
          const isMined = half.status === "mined";
          if (isMined) await change(tx, half, { status: "signed", minedBlock: null, minedBlockHash: null });
          else await moveCalls(tx, half.id, ["signed"], { status: "queued", transactionHash: null });
        });
      }
    },

    /**
     * Writes a batch down, and has the relays whose calls it makes go with it.
     *
     * @returns false when one of them went to another meanwhile
     */
    async addBatch(tx: Transaction, batch: RelayRow, calls: Relay[], signed: Signed): Promise<boolean> {
      const { id, intent, to, data, gasBound } = batch;
      const { sender, nonce, transactionHash } = signed;
      const sent = { status: "signed" as const, sender, nonce, transactionHash };
      await tx.insert(relay).values({ id, intent, chainId, to, data, gasBound, ...sent });
      const places = sql.join(
        calls.map((call, index) => sql`(${call.id}::text, ${index}::int)`),
        sql`, `,
      );
      const { rowCount } = await tx.execute(sql`
        update ${relay}
        set status = 'signed', batch_id = ${id}, batch_index = place.index, error = null,
          transaction_hash = ${transactionHash}, updated_at = now()
        from (values ${places}) as place (id, index)
        where ${and(sql`${relay.id} = place.id`, eq(relay.status, "queued"), fence())}`);
      return rowCount === calls.length;
    },

    moveCalls,

    /** Ends a batch, and each of its calls as it went. */
    finishBatch: (batch: Relay, attempt: Attempt, block: Block, ended: Ended[]) =>
      inTransaction(db, async (tx) => {
        const { sender, nonce, transactionHash } = attempt;
        const mined = { minedBlock: block.blockNumber, minedBlockHash: block.blockHash };
        const gasCharged = Number(block.gasUsed);
        const values = { status: "mined" as const, sender, nonce, transactionHash, ...mined, gasCharged };
        if (!(await change(tx, batch, { ...values, error: null }))) return;
        const outcomes = sql.join(
          ended.map(
            ({ id, error, gasUsed, blamed }) =>
              sql`(${id}::text, ${error}::text, ${gasUsed}::int, ${blamed}::boolean)`,
          ),
          sql`, `,
        );
        if (ended.length > 0) {
          await tx.execute(sql`
            update ${relay}
            set status = case when o.error is null then 'mined' else 'failed' end, error = o.error,
              gas_charged = o.gas, transaction_hash = ${transactionHash},
              mined_block = ${block.blockNumber}::bigint, mined_block_hash = ${block.blockHash},
              reverted_at = case when o.blamed then now() else ${relay.revertedAt} end, updated_at = now()
            from (values ${outcomes}) as o (id, error, gas, blamed)
            where ${relay.id} = o.id and ${relay.batchId} = ${batch.id} and ${relay.status} = 'signed'`);
        }
        const failed = ended.filter(({ error }) => error !== null);
        await count(tx, "mined", ended.length - failed.length);
        await count(tx, "failed", failed.length);
        await count(tx, "gasUsed", gasCharged);
        await count(
          tx,
          "gasReverted",
          failed.reduce((sum, { gasUsed }) => sum + gasUsed, 0),
        );
      }),

    /** Ends a batch that was mined and did nothing. Its calls are queued again, each to be sent alone. */
    failBatch: (batch: Relay, attempt: Attempt, block: Block, error: string) =>
      inTransaction(db, async (tx) => {
        const { sender, nonce, transactionHash } = attempt;
        const gasCharged = Number(block.gasUsed);
        const values = { status: "failed" as const, sender, nonce, transactionHash, error, gasCharged };
        if (!(await change(tx, batch, values))) return;
        await moveCalls(tx, batch.id, ["signed"], { status: "queued", transactionHash: null });
        await tx
          .update(relayAttempt)
          .set({ reverted: true })
          .where(eq(relayAttempt.transactionHash, transactionHash));
        await count(tx, "gasUsed", gasCharged);
        await count(tx, "gasReverted", gasCharged);
      }),
  };

  /** Has a batch's calls of some states follow it into another. */
  async function moveCalls(
    tx: Transaction,
    batchId: string,
    from: RelayRow["status"][],
    values: PgUpdateSetSource<typeof relay>,
  ): Promise<void> {
    await tx
      .update(relay)
      .set({ ...values, updatedAt: sql`now()` })
      .where(and(eq(relay.batchId, batchId), inArray(relay.status, from), fence()));
  }
}
