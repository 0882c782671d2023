import type { PublicClient } from "viem";
import { ConfigError } from "../../config/config.ts";
import { isContractAnswer } from "../../protocol/settlement/contract-answers.ts";

/** Uses PUSH0, TSTORE, TLOAD and MCOPY, which the contracts use, and stops. */
const probe = "0x5f5f5d5f5c5f5f5e00";

/**
 * Makes sure that a chain runs the contracts' code. A chain with older rules might take the code and fail at its first use.
 *
 * @throws ConfigError if it does not
 */
export async function requireCancun(reader: PublicClient): Promise<void> {
  try {
    await reader.call({ data: probe });
  } catch (error) {
    if (!isContractAnswer(error)) throw error;
    throw new ConfigError(
      `Chain ${await reader.getChainId()} does not run the contracts: they need the EVM's rules of Cancun (PUSH0, TSTORE, TLOAD, MCOPY). Nothing was sent.`,
    );
  }
}
