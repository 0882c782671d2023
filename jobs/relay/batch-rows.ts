import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, inArray, type SQL, sql } from "../../db/drizzle.ts";
import { relay } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { RelayRow } from "../../trade/relay/relay-queue.ts";
import type {
  Attempt,
  ChangeRelay,
  CountForRelayer,
  MinedBlock,
  Relay,
  SignedTransaction,
} from "./relay-row.ts";

const prefix = "batch:";

/** Returns the key of a batch, which is a relay itself. */
export const batchKey = (id: string) => prefix + id;

/** Whether a relay is a batch, whose calls are relays of their own. */
export function isBatch({ key }: Pick<RelayRow, "key">): boolean {
  return key.startsWith(prefix);
}

/** How a call of a mined batch ends. `queued`: the call is sent again, alone. */
export type CallResult = {
  id: string;
  status: "mined" | "failed" | "queued";
  error: string | null;
  /** the signer's calls are refused for a while */
  blamesSigner: boolean;
};

/** The most calls of a batch. */
const mostCalls = 1000;

/** Makes the store of batches and their calls. A batch's row changes before those of its calls. */
export function createBatchRows(relays: {
  db: Database;
  fence: () => SQL | undefined;
  read: (condition: SQL | undefined, limit: number) => Promise<Relay[]>;
  change: ChangeRelay;
  count: CountForRelayer;
}) {
  const { db, fence, read, change, count } = relays;

  return {
    moveCalls,

    /** Reads the batch's calls in flight. */
    readCalls: ({ id }: RelayRow): Promise<Relay[]> =>
      read(and(eq(relay.batchId, id), eq(relay.status, "signed")), mostCalls),

    /** Reads a batch, which may have ended. */
    readBatch: async (id: string): Promise<Relay | null> => (await read(eq(relay.id, id), 1))[0] ?? null,

    /**
     * Stores a batch, and marks its calls as signed.
     *
     * @returns false if another worker took a call
     */
    async addBatch(
      tx: Transaction,
      batch: RelayRow,
      calls: Relay[],
      signed: SignedTransaction,
    ): Promise<boolean> {
      const { id, key, chainId, to, data, gasBound } = batch;
      const { sender, nonce, transactionHash } = signed;
      const sent = { status: "signed" as const, sender, nonce, transactionHash };
      await tx.insert(relay).values({ id, key, chainId, to, data, gasBound, ...sent });
      const ids = calls.map((call) => call.id);
      const moved = await tx
        .update(relay)
        .set({ status: "signed", batchId: id, error: null, transactionHash, updatedAt: sql`now()` })
        .where(and(inArray(relay.id, ids), eq(relay.status, "queued"), fence()))
        .returning({ id: relay.id });
      return moved.length === calls.length;
    },

    /** Ends a mined batch and each of its calls. The calls share the gas equally. */
    finishBatch: (batch: Relay, attempt: Attempt, block: MinedBlock, ended: CallResult[]) =>
      inTransaction(db, async (tx) => {
        const { sender, nonce, transactionHash } = attempt;
        const { blockNumber: minedBlock, blockHash: minedBlockHash, gasUsed, gasCharged } = block;
        const isDone = ended.some(({ status }) => status === "mined");
        const mined = {
          sender,
          nonce,
          transactionHash,
          minedBlock,
          minedBlockHash,
          gasCharged: Number(gasCharged),
        };
        if (!(await change(tx, batch, { ...mined, status: isDone ? "mined" : "failed", error: null })))
          return;
        const idsOf = (status: CallResult["status"]) =>
          ended.filter((call) => call.status === status).map(({ id }) => id);
        const shareOf = (gas: bigint) => Math.ceil(Number(gas) / Math.max(1, ended.length));
        const share = shareOf(gasCharged);
        const place = { transactionHash, minedBlock, minedBlockHash, gasCharged: share };
        await moveCalls(tx, batch.id, ["signed"], { ...place, status: "mined", error: null }, idsOf("mined"));
        await moveCalls(
          tx,
          batch.id,
          ["signed"],
          // The bound of the call counts until the call ends, in addition to its share of this batch.
          {
            status: "queued",
            error: null,
            transactionHash: null,
            gasChargedBefore: sql`${relay.gasChargedBefore} + ${share}`,
          },
          idsOf("queued"),
        );
        for (const { id, error } of ended.filter(({ status }) => status === "failed"))
          await moveCalls(tx, batch.id, ["signed"], { ...place, status: "failed", error }, [id]);
        const blamed = ended.filter((call) => call.blamesSigner).map(({ id }) => id);
        if (blamed.length > 0)
          await tx
            .update(relay)
            .set({ revertedAt: sql`now()` })
            .where(and(inArray(relay.id, blamed), eq(relay.batchId, batch.id)));
        await count(tx, "mined", idsOf("mined").length);
        await count(tx, "failed", idsOf("failed").length);
        await count(tx, "gasUsed", Number(gasUsed));
        await count(tx, "gasReverted", shareOf(gasUsed) * (ended.length - idsOf("mined").length));
      }),
  };

  /** Moves a batch's calls with one of these states: all of them, or those with the ids. */
  async function moveCalls(
    tx: Transaction,
    batchId: string,
    from: RelayRow["status"][],
    values: PgUpdateSetSource<typeof relay>,
    ids?: string[],
  ): Promise<void> {
    if (ids?.length === 0) return;
    await tx
      .update(relay)
      .set({ ...values, updatedAt: sql`now()` })
      .where(
        and(eq(relay.batchId, batchId), inArray(relay.status, from), ids && inArray(relay.id, ids), fence()),
      );
  }
}
