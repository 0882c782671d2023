import { type Address, type PublicClient, parseAbi, zeroAddress, zeroHash } from "viem";
import { isContractAnswer } from "./contract-answers.ts";

const authorizationAbi = parseAbi([
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)",
]);

/**
 * Tells whether a token has signed authorizations (EIP-3009).
 *
 * @throws the client's error if the node does not answer
 */
export function hasAuthorizations(
  client: Pick<PublicClient, "readContract">,
  token: Address,
): Promise<boolean> {
  const args = [zeroAddress, zeroHash] as const;
  return client
    .readContract({ abi: authorizationAbi, address: token, functionName: "authorizationState", args })
    .then(
      () => true,
      (error: unknown) => {
        if (!isContractAnswer(error)) throw error;
        return false;
      },
    );
}
