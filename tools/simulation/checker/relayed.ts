import {
  type Address,
  decodeFunctionData,
  encodeAbiParameters,
  getAbiItem,
  type Hex,
  keccak256,
  multicall3Abi,
} from "viem";
import { escrowAbi } from "../../../abis/escrow.ts";

// Shares no code with the service, so that it does not repeat its mistakes.

/** A call that the relayer's wallet made, alone or in a batch. */
export type Sent = { hash: Hex; to: string; input: Hex; succeeded: boolean };

type Mined = {
  hash: Hex;
  to: Address | null;
  input: Hex;
  status: "success" | "reverted";
  logs: readonly { address: Address; topics: readonly Hex[] }[];
};

const [terms] = getAbiItem({ abi: escrowAbi, name: "createEscrow" }).inputs;

/**
 * Returns the calls of a transaction. A Multicall3 batch has several. A batched call succeeded if its contract emitted an
 * event of the call's escrow.
 */
export function callsOf({ hash, to, input, status, logs }: Mined, chainId: number): Sent[] {
  const done = status === "success";
  const calls = readBatch(input);
  if (!calls) return [{ hash, to: (to ?? "").toLowerCase(), input, succeeded: done }];
  return calls.map(({ target, callData }) => {
    const escrowId = escrowIdOf(chainId, target, callData);
    const contract = target.toLowerCase();
    const isNamed = logs.some(
      ({ address, topics }) => address.toLowerCase() === contract && topics[1] === escrowId,
    );
    return { hash, to: contract, input: callData, succeeded: done && isNamed };
  });
}

function readBatch(input: Hex) {
  try {
    const { functionName, args } = decodeFunctionData({ abi: multicall3Abi, data: input });
    return functionName === "aggregate3" ? args[0] : null;
  } catch {
    return null;
  }
}

function escrowIdOf(chainId: number, contract: Address, data: Hex): Hex {
  const { args } = decodeFunctionData({ abi: escrowAbi, data });
  return keccak256(
    encodeAbiParameters(
      [{ type: "uint256" }, { type: "address" }, terms],
      [BigInt(chainId), contract, args?.[0] as never],
    ),
  );
}
