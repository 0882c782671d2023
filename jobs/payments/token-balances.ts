import { type Address, erc20Abi, getAddress, type PublicClient } from "viem";

/** A token's balance of a holder, to be read. */
export type BalanceQuestion = { token: Address; holder: Address };

/**
 * Reads balances by one call to the node for each token. A token that burns all gas of a call, or answers anything but a
 * number, hides its own balances only.
 *
 * @param options.blockNumber the block to read at; the newest without it
 * @returns base units in the order of the questions; undefined where a token did not answer
 * @throws if the node answers nothing at all
 */
export async function readTokenBalances(
  client: PublicClient,
  questions: readonly BalanceQuestion[],
  { blockNumber }: { blockNumber?: bigint } = {},
): Promise<(bigint | undefined)[]> {
  const balances = new Array<bigint | undefined>(questions.length).fill(undefined);
  const byToken = Map.groupBy(questions.keys(), (at) => getAddress(questions[at]?.token ?? "0x"));
  await Promise.all(
    [...byToken].map(async ([token, places]) => {
      const answers = await client.multicall({
        contracts: places.map((at) => ({
          ...{ abi: erc20Abi, address: token, functionName: "balanceOf" as const },
          args: [getAddress(questions[at]?.holder ?? "0x")] as const,
        })),
        blockNumber,
        // A deployless call needs no contract on the chain, and one request to the node.
        deployless: true,
        batchSize: 0,
      });
      for (const [index, at] of places.entries()) balances[at] = answers[index]?.result;
    }),
  );
  // A dead node fails here. A living one shows that the tokens are at fault.
  if (questions.length > 0 && balances.every((balance) => balance === undefined)) {
    await client.getBlockNumber({ cacheTime: 0 });
  }
  return balances;
}
