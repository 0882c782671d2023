import { type Address, isAddressEqual, type PublicClient } from "viem";
import { passkeyAccountFactoryBytecode } from "../../abis/bytecode.ts";
import { addressOf } from "./create2.ts";

/**
 * Compares the contract at an address with the factory of passkey accounts of this build. Its address follows from its
 * creation code, which takes no arguments, so the address alone names the code.
 *
 * @returns a sentence for each difference
 */
export async function comparePasskeyFactory(reader: PublicClient, factory: Address): Promise<string[]> {
  const own = addressOf(passkeyAccountFactoryBytecode);
  if (!isAddressEqual(factory, own)) {
    return [`The factory of passkey accounts is ${factory}, this build's is ${own}.`];
  }
  if (await reader.getCode({ address: factory })) return [];
  return [`There is no contract at ${factory}, where the manifest names the factory of passkey accounts.`];
}
