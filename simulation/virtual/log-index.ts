import { registerHooks } from "node:module";
import { decodeEventLog, type Hex } from "viem";
import { escrowAbi } from "../../abis/escrow.ts";
import type { ChainEvent } from "../../facts/chain-facts.ts";
import type { EscrowStatus } from "../../settlement/vocabulary.ts";
import type { Random } from "../random.ts";
import { type Block, chainId, escrowContract, type VirtualChain } from "./chain.ts";

/** An escrow as the handlers of `src/escrow.ts` write it. */
export type IndexedEscrow = {
  escrowId: Hex;
  status: Exclude<EscrowStatus, "none">;
  deliveryDeadline: bigint;
  deliveryCount: number;
  autoReleaseAt: bigint | null;
  outputHash: Hex | null;
  decideBy: bigint | null;
  settleableAt: bigint | null;
};
type Row = Record<string, unknown> & { escrowId: Hex };
type Handler = (input: { event: unknown; context: unknown }) => Promise<void>;

const registry = `data:text/javascript,${encodeURIComponent(`
  export const handlers = new Map();
  export const ponder = { on: (name, handler) => handlers.set(name, handler) };
`)}`;
const tables = `data:text/javascript,${encodeURIComponent(`
  export const escrow = "escrow";
  export const escrowEvent = "escrow_event";
  export const escrowTally = "escrow_tally";
`)}`;

/** The real handlers, with something in the place of Ponder's own modules. */
export async function loadHandlers(): Promise<Map<string, Handler>> {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      const url = { "ponder:registry": registry, "ponder:schema": tables }[specifier];
      return url ? { url, shortCircuit: true } : next(specifier, context);
    },
  });
  await import(new URL("../../src/escrow.ts", import.meta.url).href);
  hooks.deregister();
  return (await import(registry)).handlers;
}

/** How many blocks a restart reads again. */
const readAgain = 30;

/** An index that follows the chain late, sees some blocks without some of their logs, and begins anew at times. */
export function createLogIndex(chain: VirtualChain, handlers: Map<string, Handler>, random: Random) {
  /** by block, what stood after it */
  const kept: { hash: Hex; escrows: Map<Hex, IndexedEscrow>; events: ChainEvent[]; loses: boolean }[] = [];
  let escrows = new Map<Hex, IndexedEscrow>();

  /** What the handlers call, as far as they do. */
  function storeInto(events: ChainEvent[]) {
    const change = (escrowId: Hex, to: object | ((row: IndexedEscrow) => object)) => {
      const row = escrows.get(escrowId);
      // Of a node that left its creation out: Ponder would stop here until it reads the block again.
      if (!row) return;
      escrows.set(escrowId, { ...row, ...(typeof to === "function" ? to(row) : to) });
    };
    return {
      find: async (_table: string, { escrowId }: { escrowId: Hex }) => escrows.get(escrowId) ?? null,
      insert: (table: string) => ({
        values: (row: Row) => {
          if (table === "escrow") {
            const unset = { autoReleaseAt: null, outputHash: null, decideBy: null, settleableAt: null };
            escrows.set(row.escrowId, { ...unset, ...row } as unknown as IndexedEscrow);
          } else if (table === "escrow_event") events.push(row as unknown as ChainEvent);
          return { onConflictDoUpdate: async () => {} };
        },
      }),
      update: (_table: string, { escrowId }: { escrowId: Hex }) => ({
        set: async (to: object | ((row: IndexedEscrow) => object)) => change(escrowId, to),
      }),
    };
  }

  async function add(block: Block, loses: boolean): Promise<void> {
    escrows = new Map(escrows);
    const events: ChainEvent[] = [];
    const context = { chain: { id: chainId }, db: storeInto(events) };
    for (const { address, topics, data, transaction, logIndex } of block.logs) {
      if (BigInt(address) !== BigInt(escrowContract) || (loses && random.chance(0.5))) continue;
      const decoded = decodeEventLog({ abi: escrowAbi, data, topics: topics as [Hex, ...Hex[]] });
      const at = { number: BigInt(block.number), hash: block.hash, timestamp: BigInt(block.time) };
      const log = { address, logIndex };
      const event = { args: decoded.args, block: at, transaction: { hash: transaction }, log };
      await handlers.get(`Escrow:${decoded.eventName}`)?.({ event, context });
    }
    kept.push({ hash: block.hash, escrows, events, loses });
  }

  function goBackTo(length: number): void {
    kept.length = Math.max(0, length);
    escrows = kept.at(-1)?.escrows ?? new Map();
  }

  return {
    /** Drops the newest blocks, as a start does, and reads them again when it goes on. */
    restart: () => goBackTo(kept.length - readAgain),
    /** Begins from nothing, as an operator has it do. */
    rebuild: () => goBackTo(0),
    /** Leaves blocks that the chain has left, and reads up to so many of those that follow. */
    async follow(most: number, loses = false): Promise<void> {
      const split = kept.findIndex(({ hash }, number) => chain.blocks[number]?.hash !== hash);
      if (split >= 0) goBackTo(split);
      for (let count = 0; count < most && kept.length < chain.blocks.length; count += 1)
        await add(chain.blocks[kept.length] as Block, loses);
    },
    /** whether it has all that the chain has, and nothing else */
    isTrue: () =>
      kept.length === chain.blocks.length &&
      kept.every(({ hash, loses }, number) => !loses && chain.blocks[number]?.hash === hash),
    /** the newest block read; -1 before any */
    head: () => kept.length - 1,
    /** unix seconds of the newest block read */
    time: () => chain.blocks[kept.length - 1]?.time ?? 0,
    escrow: (escrowId: Hex) => escrows.get(escrowId) ?? null,
    events: (): ChainEvent[] => kept.flatMap(({ events }) => events),
  };
}
export type LogIndex = ReturnType<typeof createLogIndex>;
