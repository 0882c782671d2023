import { type Address, parseAbiItem } from "viem";
import { describe, expect, test } from "vitest";
import { sumTransfers, type TransferQuery } from "../../../jobs/reputation/transfers.ts";
import { walletOf } from "../../harness/reputation/outcomes.ts";

type Client = Parameters<typeof sumTransfers>[0];
const event = parseAbiItem("event Transfer(address indexed from, address indexed to, uint256 value)");
const [token, provider, buyer, other] = [1, 2, 3, 4].map((number) => walletOf(number) as Address) as [
  Address,
  Address,
  Address,
  Address,
];
const question: TransferQuery = { token, from: [provider], to: [buyer], fromBlock: 0n, toBlock: 1_000_000n };

type Log = { block: bigint; value: bigint; address?: Address; from?: Address; to?: Address; index?: number };

/** A node with these transfers, which accepts ranges of this many blocks, or has a given answer. */
function nodeOf(logs: Log[], { most = 10_000_000n, honest = true } = {}) {
  const ranges: [bigint, bigint][] = [];
  const getLogs = async ({ fromBlock, toBlock }: { fromBlock: bigint; toBlock: bigint }) => {
    ranges.push([fromBlock, toBlock]);
    if (toBlock - fromBlock >= most) throw new Error("query returns more than 10000 results");
    return logs
      .filter(({ block }) => !honest || (block >= fromBlock && block <= toBlock))
      .map(({ block, value, address = token, from = provider, to = buyer, index = 0 }) => ({
        address,
        args: { from, to, value },
        blockNumber: block,
        blockHash: `0x${block}`,
        logIndex: index,
        eventName: event.name,
      }));
  };
  return { ranges, client: { getLogs } as unknown as Client };
}

describe("the sum of transfers from provider to buyer", () => {
  test("takes one query where the node answers it", async () => {
    const { client, ranges } = nodeOf([
      { block: 5n, value: 3n },
      { block: 900_000n, value: 4n },
    ]);
    expect(await sumTransfers(client, question)).toEqual({ sent: 7n, isComplete: true });
    expect(ranges).toEqual([[0n, 1_000_000n]]);
  });

  test("takes halved ranges where the node refuses, each block once", async () => {
    const logs = [0n, 1n, 499_999n, 500_000n, 500_001n, 1_000_000n].map((block) => ({ block, value: 1n }));
    const { client, ranges } = nodeOf(logs, { most: 100_000n });
    expect(await sumTransfers(client, question)).toEqual({ sent: 6n, isComplete: true });
    expect(ranges.length).toBeLessThanOrEqual(40);
  });

  test("covers the newest blocks where all would take more than 40 queries", async () => {
    const { client, ranges } = nodeOf([{ block: 999_999n, value: 9n }], { most: 100n });
    expect(await sumTransfers(client, question)).toEqual({ sent: 9n, isComplete: false });
    expect(ranges).toHaveLength(40);
  });

  test("is unknown where the node answers nothing", async () => {
    const { client, ranges } = nodeOf([], { most: 0n });
    await expect(sumTransfers(client, question)).rejects.toThrow("more than 10000");
    expect(ranges.length).toBeLessThanOrEqual(40);
  });

  test.each<[string, Log]>([
    ["another token's", { block: 5n, value: 9n, address: other }],
    ["somebody else's", { block: 5n, value: 9n, from: other }],
    ["to somebody else", { block: 5n, value: 9n, to: other }],
    ["of blocks that were not asked for", { block: 5_000_000n, value: 9n }],
  ])("is not taken from a node that returns transfers %s", async (_, log) => {
    const { client } = nodeOf([log], { honest: false });
    await expect(sumTransfers(client, question)).rejects.toThrow("not requested");
  });

  test("counts a transfer once that the node lists twice", async () => {
    const { client } = nodeOf([
      { block: 5n, value: 3n },
      { block: 5n, value: 3n },
      { block: 5n, value: 4n, index: 1 },
    ]);
    expect(await sumTransfers(client, question)).toEqual({ sent: 7n, isComplete: true });
  });
});
