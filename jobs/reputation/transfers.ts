import { type Address, type PublicClient, parseAbiItem } from "viem";

const transfer = parseAbiItem("event Transfer(address indexed from, address indexed to, uint256 value)");

/** The most calls to the node for one buyer's wallet, and the most transfers of one answer. */
const mostCalls = 40;
const mostLogs = 10_000;

export type TransferQuery = {
  token: Address;
  from: readonly Address[];
  to: readonly Address[];
  fromBlock: bigint;
  toBlock: bigint;
};

/**
 * Sums the transfers of a token straight from some wallets to others, in base units. Asks for the whole range at once,
 * then for halves of each range that the node refuses, newest first.
 *
 * @returns `isComplete` is false if 40 calls did not cover the range; `sent` is then a part
 * @throws the node's first error if no call succeeded
 */
export async function sumTransfers(
  client: Pick<PublicClient, "getLogs">,
  { token, from, to, fromBlock, toBlock }: TransferQuery,
): Promise<{ sent: bigint; isComplete: boolean }> {
  const open: [first: bigint, last: bigint][] = [[fromBlock, toBlock]];
  let [sent, answers, calls] = [0n, 0, 0];
  let firstError: unknown;
  for (let range = open.pop(); range; range = open.pop()) {
    if (calls >= mostCalls) {
      if (answers === 0) throw firstError;
      return { sent, isComplete: false };
    }
    calls += 1;
    const [first, last] = range;
    try {
      sent += await sumRange(first, last);
      answers += 1;
    } catch (error) {
      firstError ??= error;
      if (first === last) {
        if (answers === 0) throw firstError;
        return { sent, isComplete: false };
      }
      const middle = (first + last) / 2n;
      open.push([first, middle], [middle + 1n, last]);
    }
  }
  return { sent, isComplete: true };

  async function sumRange(first: bigint, last: bigint): Promise<bigint> {
    const logs = await client.getLogs({
      address: token,
      event: transfer,
      args: { from: [...from], to: [...to] },
      fromBlock: first,
      toBlock: last,
      strict: true,
    });
    if (logs.length > mostLogs)
      throw new Error(`The node returned ${logs.length} logs in one answer, more than ${mostLogs}.`);
    const same = (a: Address, b: Address) => a.toLowerCase() === b.toLowerCase();
    const counted = new Map<string, bigint>();
    for (const { address, args, blockNumber, blockHash, logIndex } of logs) {
      // An answer with logs that were not requested is rejected as a whole.
      const isRequested =
        same(address, token) &&
        from.some((address) => same(address, args.from)) &&
        to.some((address) => same(address, args.to)) &&
        blockNumber >= first &&
        blockNumber <= last;
      if (!isRequested) throw new Error("The node returned logs that were not requested.");
      counted.set(`${blockHash} ${logIndex}`, args.value);
    }
    return [...counted.values()].reduce((sum, value) => sum + value, 0n);
  }
}
