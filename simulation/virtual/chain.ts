import { encodeFunctionData, type Hex } from "viem";
import { escrowBytecode, testUsdBytecode } from "../../abis/bytecode.ts";
import { testUsdAbi } from "../../abis/testUsd.ts";
import type { Random } from "../random.ts";
import { createEvm } from "./evm.ts";
import type { EvmLog } from "./frame.ts";

export const chainId = 31_337;
export const escrowContract: Hex = "0x00000000000000000000000000000000000e5c00";
export const token: Hex = "0x0000000000000000000000000000000000007000";
export const relayer: Hex = "0x000000000000000000000000000000000000ae1a";

/** A transaction, the same wherever it is mined. */
export type Transaction = { hash: Hex; from: Hex; to: Hex; data: Hex };

export type Block = {
  number: number;
  hash: Hex;
  /** unix seconds */
  time: number;
  logs: (EvmLog & { transaction: Hex; logIndex: number })[];
  mined: (Transaction & { succeeded: boolean })[];
  /** where the machine stood before it */
  mark: number;
};

/** A chain in this process, on which the real contracts run. Its time is given, and its blocks can be taken back. */
export function createVirtualChain(random: Random, start: number) {
  const evm = createEvm(chainId);
  evm.deploy(escrowContract, escrowBytecode);
  evm.deploy(token, testUsdBytecode);
  const blocks: Block[] = [];
  let pool: Transaction[] = [];

  function mine(time: number): Block {
    const mark = evm.mark();
    const logs: Block["logs"] = [];
    const mined = pool.map((transaction) => {
      const result = evm.send({ ...transaction, time });
      for (const log of result.logs)
        logs.push({ ...log, transaction: transaction.hash, logIndex: logs.length });
      return { ...transaction, succeeded: result.ok };
    });
    pool = [];
    const block = { number: blocks.length, hash: random.hex(32), time, logs, mined, mark };
    blocks.push(block);
    return block;
  }
  mine(start);

  return {
    evm,
    blocks,
    head: () => blocks.at(-1) as Block,
    /** Has the next block take it; returns its hash. */
    send(transaction: Omit<Transaction, "hash">): Hex {
      const hash = random.hex(32);
      pool.push({ ...transaction, hash });
      return hash;
    },
    /** Has it take the same transaction again, unless it waits or is mined. */
    sendAgain(transaction: Transaction): void {
      const isThere = pool
        .concat(blocks.flatMap(({ mined }) => mined))
        .some(({ hash }) => hash === transaction.hash);
      if (!isThere) pool.push(transaction);
    },
    mine,
    /** Takes the newest blocks back. Some of their transactions wait for a block again; the others are lost. */
    takeBack(depth: number): void {
      const lost = blocks.splice(Math.max(blocks.length - depth, 2));
      const [first] = lost;
      if (!first) return;
      evm.rewind(first.mark);
      const keeps = random.pick([0, 0.5, 1]);
      const again = lost.flatMap(({ mined }) => mined).filter(() => random.chance(keeps));
      pool = [...again.map(({ succeeded: _, ...transaction }) => transaction), ...pool];
    },
    /** What a view of the token, or of the escrow, answers at the head. */
    read: (to: Hex, data: Hex) => evm.ask({ from: relayer, to, data, time: 0 }).output,
    /** Gives somebody money, and the escrow contract leave to take it. */
    fund(owner: Hex, amount: bigint): void {
      for (const [functionName, args] of [
        ["mint", [owner, amount]],
        ["approve", [escrowContract, 2n ** 255n]],
      ] as const) {
        const data = encodeFunctionData({ abi: testUsdAbi, functionName, args: args as never });
        pool.push({ hash: random.hex(32), from: owner, to: token, data });
      }
    },
  };
}
export type VirtualChain = ReturnType<typeof createVirtualChain>;
