import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type PublicClient,
  parseAbi,
  zeroAddress,
  zeroHash,
} from "viem";
import { isContractAnswer } from "./contract-answers.ts";

const abi = parseAbi(["function authorizationState(address authorizer, bytes32 nonce) view returns (bool)"]);

/** The gas of the question. The node stops a token that burns gas there. */
const gas = 1_000_000n;

/**
 * Tells whether a token has signed authorizations (EIP-3009).
 *
 * @throws the client's error if the node does not answer
 */
export async function hasAuthorizations(
  client: Pick<PublicClient, "call">,
  token: Address,
): Promise<boolean> {
  const data = encodeFunctionData({
    abi,
    functionName: "authorizationState",
    args: [zeroAddress, zeroHash],
  });
  try {
    const { data: result = "0x" } = await client.call({ to: token, data, gas });
    decodeFunctionResult({ abi, functionName: "authorizationState", data: result });
    return true;
  } catch (error) {
    if (!isContractAnswer(error)) throw error;
    return false;
  }
}
