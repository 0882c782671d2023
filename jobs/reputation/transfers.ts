import { type Address, type PublicClient, parseAbiItem } from "viem";

const transfer = parseAbiItem("event Transfer(address indexed from, address indexed to, uint256 value)");

/** Questions to the node about one buyer's wallet, and transfers that one answer may have. */
const mostCalls = 40;
const mostLogs = 10_000;

export type Question = {
  token: Address;
  from: readonly Address[];
  to: readonly Address[];
  fromBlock: bigint;
  toBlock: bigint;
};

/**
 * Sums what the transfers of a token moved straight from some wallets to others, in base units. The whole range is asked at
 * once, then halves of what the node refuses, the newest first.
 *
 * @returns `complete` is false where the node did not answer all of it in 40 questions: `sent` is then a part
 * @throws what the node's first answer was, where it gave none at all
 */
export async function sumTransfers(
  client: Pick<PublicClient, "getLogs">,
  { token, from, to, fromBlock, toBlock }: Question,
): Promise<{ sent: bigint; complete: boolean }> {
  const open: [first: bigint, last: bigint][] = [[fromBlock, toBlock]];
  let [sent, answers, calls] = [0n, 0, 0];
  let firstError: unknown;
  for (let range = open.pop(); range; range = open.pop()) {
    if (calls >= mostCalls) {
      if (answers === 0) throw firstError;
      return { sent, complete: false };
    }
    calls += 1;
    const [first, last] = range;
    try {
      sent += await ask(first, last);
      answers += 1;
    } catch (error) {
      firstError ??= error;
      if (first === last) {
        if (answers === 0) throw firstError;
        return { sent, complete: false };
      }
      const middle = (first + last) / 2n;
      open.push([first, middle], [middle + 1n, last]);
    }
  }
  return { sent, complete: true };

  async function ask(first: bigint, last: bigint): Promise<bigint> {
    const logs = await client.getLogs({
      address: token,
      event: transfer,
      args: { from: [...from], to: [...to] },
      fromBlock: first,
      toBlock: last,
      strict: true,
    });
    if (logs.length > mostLogs) throw new Error(`The node answers ${logs.length} logs at once.`);
    const same = (a: Address, b: Address) => a.toLowerCase() === b.toLowerCase();
    const counted = new Map<string, bigint>();
    for (const { address, args, blockNumber, blockHash, logIndex } of logs) {
      // A node that answers something else than it was asked is not believed anything of it.
      const isAsked =
        same(address, token) &&
        from.some((one) => same(one, args.from)) &&
        to.some((one) => same(one, args.to)) &&
        blockNumber >= first &&
        blockNumber <= last;
      if (!isAsked) throw new Error("The node answers logs that it was not asked for.");
      counted.set(`${blockHash} ${logIndex}`, args.value);
    }
    return [...counted.values()].reduce((sum, value) => sum + value, 0n);
  }
}
