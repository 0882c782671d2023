import type { Abi, Address, PublicClient } from "viem";
import { erc20Abi, getAddress } from "viem";
import { escrowAbi } from "../abis/escrow.ts";
import { isContractAnswer } from "../protocol/settlement/contract-answers.ts";

/** A read of an amount from a contract. */
export type AmountCall = {
  abi: Abi;
  address: Address;
  functionName: string;
  args: readonly Address[];
};

/**
 * The reads in one call to the node. From some 190 on, the call exceeds the size limit of its code (EIP-3860).
 */
export const mostReads = 150;

/** Returns the read of an account's balance of a token. */
export const balanceCall = (token: Address, holder: Address): AmountCall => ({
  abi: erc20Abi,
  address: getAddress(token),
  functionName: "balanceOf",
  args: [getAddress(holder)],
});

/** Returns the read of what an escrow contract owes to a payee in a token. */
export const owedCall = (
  contract: Address,
  { payee, token }: { payee: Address; token: Address },
): AmountCall => ({
  abi: escrowAbi,
  address: getAddress(contract),
  functionName: "owed",
  args: [getAddress(payee), getAddress(token)],
});

/**
 * Reads amounts from contracts. A call to the node reads from one contract only. So a token that fails, burns its gas or
 * takes the node's time hides no amount of another token.
 *
 * @returns the amounts, in the order of the reads, or the error of each read
 * @throws the node's error if the node does not answer at all
 */
export async function readAmounts(
  client: PublicClient,
  calls: readonly AmountCall[],
  { blockNumber }: { blockNumber?: bigint } = {},
): Promise<PromiseSettledResult<bigint>[]> {
  const places = calls.map((call, at) => ({ call, at }));
  const results: PromiseSettledResult<bigint>[] = new Array(calls.length);
  const pages = [...Map.groupBy(places, ({ call }) => call.address).values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / mostReads) }, (_, page) =>
      group.slice(page * mostReads, (page + 1) * mostReads),
    ),
  );
  await Promise.all(
    pages.map(async (page) => {
      const answers = await client.multicall({
        contracts: page.map(({ call }) => call),
        // A deployless call needs no contract on the chain, and one request to the node.
        deployless: true,
        batchSize: 0,
        ...(blockNumber === undefined ? {} : { blockNumber }),
      });
      for (const [index, { at }] of page.entries()) {
        const answer = answers[index];
        results[at] =
          answer?.status === "success"
            ? { status: "fulfilled", value: answer.result as bigint }
            : { status: "rejected", reason: answer?.error };
      }
    }),
  );
  const isNodes = results.find((result) => result.status === "rejected" && !isContractAnswer(result.reason));
  // A contract that takes too long looks like a node that does not answer.
  if (isNodes) await client.getBlockNumber({ cacheTime: 0 });
  return results;
}
