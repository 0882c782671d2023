import type { PublicClient } from "viem";
import { batchCode } from "../abis/build.ts";
import { batchBytecode } from "../abis/bytecode.ts";
import { addressOf } from "./create2.ts";

/** Where this build's contract of batches stands, on every chain where it was deployed. */
export const batchContract = addressOf(batchBytecode);

/**
 * Whether a chain has the contract that makes the relayer's calls in one transaction. Its address depends on its code
 * alone, so no manifest names it; without it each call is sent alone.
 */
export async function hasBatch(reader: PublicClient): Promise<boolean> {
  return (await reader.getCode({ address: batchContract })) === batchCode;
}
