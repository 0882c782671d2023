import { erc20Abi, type Hex, isAddressEqual, parseEventLogs } from "viem";
import type { TestChain } from "../chain.ts";

/** Returns by how many base units a transaction changed the token balance of the escrow contract. */
export async function readEscrowChange({ publicClient, chain }: TestChain, hash: Hex): Promise<bigint> {
  const { logs } = await publicClient.getTransactionReceipt({ hash });
  return parseEventLogs({ abi: erc20Abi, eventName: "Transfer", logs }).reduce((sum, { args }) => {
    const received = isAddressEqual(args.to, chain.escrow_contract) ? args.value : 0n;
    const sent = isAddressEqual(args.from, chain.escrow_contract) ? args.value : 0n;
    return sum + received - sent;
  }, 0n);
}
