import {
  type Address,
  BaseError,
  encodeFunctionData,
  type Hex,
  multicall3Abi,
  type PublicClient,
  parseErc6492Signature,
  size,
} from "viem";
import type { PaymentCall } from "../../db/schema.ts";
import { isContractAnswer, isOutOfGas } from "../../protocol/settlement/contract-answers.ts";
import { multicall3Address } from "../../protocol/settlement/x402.ts";
import { withV27or28 } from "../../protocol/settlement/x402-payload.ts";
import { delegationPrefix } from "../erc1271.ts";
import { chainUnreachable } from "../node-breaker.ts";

/** The signature of a payment, with the payer's account on the chain. */
export type PayerSignature = {
  /** the form that is verified and sent */
  signature: Hex;
  /** how it is verified: `key` by ecrecover; `wallet` by the payer's contract (ERC-1271); `foreseen` by a contract that is deployed first (ERC-6492) */
  kind: "key" | "wallet" | "foreseen";
  /** whether a contract wallet's signature has the length of a key's */
  looksLikeKey: boolean;
};

/**
 * Determines how a payer's signature is verified.
 *
 * @returns null if the signature's ERC-6492 wrapper cannot be decoded
 * @throws the error of `getCode`
 */
export async function readPayerSignature(
  getCode: (account: { address: Address }) => Promise<Hex | undefined>,
  payer: Address,
  signature: Hex,
): Promise<PayerSignature | null> {
  const unwrapped = unwrap(signature);
  if (!unwrapped) return null;
  const looksLikeKey = size(unwrapped.inner) === 65;
  const code = await getCode({ address: payer });
  if (code && code !== "0x") {
    const isKeys = code.toLowerCase().startsWith(delegationPrefix);
    // A contract may give the last byte any meaning.
    const own = isKeys ? withV27or28(unwrapped.inner) : unwrapped.inner;
    return { signature: own, kind: "wallet", looksLikeKey };
  }
  if (unwrapped.hasDeployment) return { signature, kind: "foreseen", looksLikeKey };
  return { signature: withV27or28(signature), kind: "key", looksLikeKey: false };
}

function unwrap(signature: Hex): { inner: Hex; hasDeployment: boolean } | null {
  try {
    const { signature: inner, address } = parseErc6492Signature(signature);
    return { inner, hasDeployment: address !== undefined };
  } catch {
    return null;
  }
}

/** The gas limit of a simulation. It exceeds what the service pays, because running out of gas looks like a bad signature. */
export const simulationGas = 16_000_000n;

/**
 * Simulates a payment's calls in their order.
 *
 * @param sender the only account that can send the first call; the others depend on its effect, so it alone is simulated
 * @returns the obstacle; null if the calls succeed
 * @throws Refusal `dependency_unavailable` if the chain does not answer
 */
export async function simulatePayment(
  client: PublicClient,
  calls: PaymentCall[],
  sender?: Address,
): Promise<"refused" | "too_much_gas" | null> {
  const most = calls.reduce((sum, { gasBound }) => sum + BigInt(gasBound), 0n);
  try {
    const simulated = sender ? { account: sender, ...firstOf(calls) } : await joinCalls(client, calls);
    const gas = await client.estimateGas({ ...simulated, gas: simulationGas });
    return gas > most ? "too_much_gas" : null;
  } catch (error) {
    if (error instanceof BaseError && isOutOfGas(error)) return "too_much_gas";
    if (isContractAnswer(error)) return "refused";
    throw chainUnreachable();
  }
}

/** Joins calls by Multicall3. On a chain without it, returns the first call, on whose effect the others depend. */
async function joinCalls(client: PublicClient, calls: PaymentCall[]): Promise<{ to: Address; data: Hex }> {
  if (calls.length === 1 || !(await client.getCode({ address: multicall3Address }))) return firstOf(calls);
  const data = encodeFunctionData({
    abi: multicall3Abi,
    functionName: "aggregate3",
    args: [calls.map(({ to, data }) => ({ target: to, allowFailure: false, callData: data }))],
  });
  return { to: multicall3Address, data };
}

function firstOf([first]: PaymentCall[]): { to: Address; data: Hex } {
  if (!first) throw new Error("A payment has calls.");
  return { to: first.to, data: first.data };
}
