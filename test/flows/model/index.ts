import { fileURLToPath } from "node:url";
import { inArray, sql } from "drizzle-orm";
import { build } from "esbuild";
import { decodeEventLog, type Hex, type Log } from "viem";
import { escrowAbi } from "../../../abis/escrow.ts";
import { escrow, escrowEvent, escrowTally, viewsSchema } from "../../../db/chain-index.ts";
import type { Database } from "../../../db/client.ts";
import { inTransaction } from "../../../db/transaction.ts";

type EscrowInsert = typeof escrow.$inferInsert;
type EventInsert = typeof escrowEvent.$inferInsert;
type Tally = typeof escrowTally.$inferInsert;
type Block = { number: bigint; hash: Hex; timestamp: bigint; logs: Log<bigint, number, false>[] };
type Handler = (input: { event: unknown; context: unknown }) => Promise<void>;

/** Stands in for Ponder's own modules: the real handlers register here. */
const modules: Record<string, string> = {
  "ponder:registry": `
    export const handlers = new Map();
    export const ponder = { on: (name, handler) => handlers.set(name, handler) };`,
  "ponder:schema": `
    export const escrow = "escrow";
    export const escrowEvent = "escrow_event";
    export const escrowTally = "escrow_tally";`,
};

async function loadHandlers(): Promise<Map<string, Handler>> {
  const { outputFiles } = await build({
    stdin: {
      contents: 'import "./escrow.ts"; export { handlers } from "ponder:registry";',
      resolveDir: fileURLToPath(new URL("../../../src", import.meta.url)),
    },
    bundle: true,
    format: "esm",
    write: false,
    plugins: [
      {
        name: "ponder",
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /^ponder:/ }, ({ path }) => ({ path, namespace: "ponder" }));
          onLoad({ filter: /./, namespace: "ponder" }, ({ path }) => ({ contents: modules[path] }));
        },
      },
    ],
  });
  const [built] = outputFiles;
  return (await import(`data:text/javascript,${encodeURIComponent(built?.text ?? "")}`)).handlers;
}

/**
 * Runs the indexer within this process. The real handlers write Ponder's rows, block by block and for many
 * orders at once, and remove them when the chain reorganises.
 */
export async function createIndex(db: Database, chainId: number) {
  const handlers = await loadHandlers();
  let escrows = new Map<string, EscrowInsert>();
  /** Counts, by escrow, event and token. */
  let tallies = new Map<string, Tally>();

  /** Ponder's `context.db`, as far as the handlers use it. */
  function storeInto(changed: Set<string>, events: EventInsert[], rows: Map<string, EscrowInsert>) {
    return {
      find: async (_table: string, { escrowId }: { escrowId: string }) => rows.get(escrowId) ?? null,
      insert: (table: string) => ({
        values: (row: EscrowInsert | EventInsert | Tally) => {
          if (table === "escrow_tally") return countIn(changed, row as Tally);
          if (table === "escrow_event") return void events.push(row as EventInsert);
          const { escrowId } = row as EscrowInsert;
          if (rows.has(escrowId)) throw new Error(`The escrow ${escrowId} is indexed twice.`);
          rows.set(escrowId, row as EscrowInsert);
          changed.add(escrowId);
        },
      }),
      update: (_table: string, { escrowId }: { escrowId: string }) => ({
        set: async (change: object | ((row: EscrowInsert) => object)) => {
          const row = rows.get(escrowId);
          if (!row) throw new Error(`There is no escrow ${escrowId} to update.`);
          rows.set(escrowId, { ...row, ...(typeof change === "function" ? change(row) : change) });
          changed.add(escrowId);
        },
      }),
    };
  }

  function countIn(changed: Set<string>, row: Tally) {
    const key = [row.escrowId, row.name, row.token].join();
    const earlier = tallies.get(key);
    tallies.set(key, row);
    changed.add(row.escrowId);
    return {
      onConflictDoUpdate: async (change: object | ((row: Tally) => object)) => {
        if (!earlier) return;
        tallies.set(key, { ...earlier, ...(typeof change === "function" ? change(earlier) : change) });
      },
    };
  }

  return {
    /** A snapshot of the indexed escrows and counts. */
    keep: () => ({ escrows: new Map(escrows), tallies: new Map(tallies) }),

    /** Indexes a block. */
    async add({ logs, ...block }: Block): Promise<void> {
      const [changed, events] = [new Set<string>(), [] as EventInsert[]];
      const context = { chain: { id: chainId }, db: storeInto(changed, events, escrows) };
      for (const log of logs) {
        const { eventName, args } = decodeEventLog({ abi: escrowAbi, ...log });
        const transaction = { hash: log.transactionHash };
        const event = { args, block, log, transaction };
        await handlers.get(`Escrow:${eventName}`)?.({ event, context });
      }
      await write(block, events, [...changed]);
    },

    /** Reverts to a snapshot, and to its block. */
    async rewind(
      snapshot: { escrows: Map<string, EscrowInsert>; tallies: Map<string, Tally> },
      block: Omit<Block, "logs" | "hash">,
    ): Promise<void> {
      const changed = [
        ...[...escrows].filter(([id, row]) => row !== snapshot.escrows.get(id)).map(([id]) => id),
        ...[...tallies]
          .filter(([key, row]) => row !== snapshot.tallies.get(key))
          .map(([, { escrowId }]) => escrowId),
      ];
      [escrows, tallies] = [new Map(snapshot.escrows), new Map(snapshot.tallies)];
      await write(block, [], [...new Set(changed)]);
    },
  };

  async function write(
    block: Omit<Block, "logs" | "hash">,
    events: EventInsert[],
    changed: string[],
  ): Promise<void> {
    const rows = changed.flatMap((escrowId) => escrows.get(escrowId) ?? []);
    const counted = [...tallies.values()].filter(({ escrowId }) => changed.includes(escrowId));
    await inTransaction(db, async (tx) => {
      // Without Ponder's triggers on its tables, which need a session of Ponder.
      await tx.execute(sql`set local session_replication_role = replica`);
      for (const table of changed.length > 0 ? [escrow, escrowTally] : []) {
        await tx.delete(table).where(inArray(table.escrowId, changed as Hex[]));
      }
      if (rows.length > 0) await tx.insert(escrow).values(rows);
      if (counted.length > 0) await tx.insert(escrowTally).values(counted);
      await tx
        .delete(escrowEvent)
        .where(sql`${escrowEvent.blockNumber} >= ${block.number + (events.length ? 0n : 1n)}`);
      if (events.length > 0) await tx.insert(escrowEvent).values(events);
      await tx.execute(sql`
        update ${sql.identifier(viewsSchema)}._ponder_checkpoint
        set latest_checkpoint = lpad(${block.timestamp}::text, 10, '0') || lpad(${chainId}::text, 16, '0')
          || lpad(${block.number}::text, 16, '0') || substr(latest_checkpoint, 43)
        where chain_id = ${chainId}`);
    });
  }
}
