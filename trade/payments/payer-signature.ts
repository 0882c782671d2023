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
import { standardSignature } from "../../protocol/settlement/x402-payload.ts";
import { chainUnreachable } from "../chain-answers.ts";
import { delegation } from "../erc1271.ts";

/** The signature of a payment, with the payer's account on the chain. */
export type PayerSignature = {
  /** as it is verified and sent */
  signature: Hex;
  /** `key`: by ecrecover; `wallet`: by the contract at the payer's address (ERC-1271); `foreseen`: by one that is deployed first (ERC-6492) */
  kind: "key" | "wallet" | "foreseen";
  /** a contract wallet's signature that looks like a key's */
  looksLikeKey: boolean;
};

/**
 * Finds out who has to confirm a signature.
 *
 * @returns null where a wallet's deployment is to come with it (ERC-6492) and cannot be read
 * @throws what the chain throws
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
    const isKeys = code.toLowerCase().startsWith(delegation);
    // A contract may mean anything by its last byte.
    const own = isKeys ? standardSignature(unwrapped.inner) : unwrapped.inner;
    return { signature: own, kind: "wallet", looksLikeKey };
  }
  if (unwrapped.deployed) return { signature, kind: "foreseen", looksLikeKey };
  return { signature: standardSignature(signature), kind: "key", looksLikeKey: false };
}

function unwrap(signature: Hex): { inner: Hex; deployed: boolean } | null {
  try {
    const { signature: inner, address } = parseErc6492Signature(signature);
    return { inner, deployed: address !== undefined };
  } catch {
    return null;
  }
}

/** Gas that a rehearsal may take: more than we pay for, since what just runs out of it looks like a bad signature. */
const simulationGas = 16_000_000n;

/**
 * Runs a payment's calls one after the other, as they will be sent, without sending them.
 *
 * @returns what is in the way, or null
 * @throws Refusal `dependency_unavailable` when the chain could not be asked
 */
export async function simulate(
  client: PublicClient,
  calls: PaymentCall[],
): Promise<"refused" | "too_much_gas" | null> {
  const most = calls.reduce((sum, { gasBound }) => sum + BigInt(gasBound), 0n);
  try {
    const gas = await client.estimateGas({ ...(await joinCalls(client, calls)), gas: simulationGas });
    return gas > most ? "too_much_gas" : null;
  } catch (error) {
    if (error instanceof BaseError && isOutOfGas(error)) return "too_much_gas";
    if (isContractAnswer(error)) return "refused";
    throw chainUnreachable();
  }
}

/** Several calls as one, or the first where the chain has no Multicall3: the others run on what it leaves. */
async function joinCalls(client: PublicClient, calls: PaymentCall[]): Promise<{ to: Address; data: Hex }> {
  const [first] = calls;
  if (!first) throw new Error("A payment has calls.");
  if (calls.length === 1 || !(await client.getCode({ address: multicall3Address }))) {
    return { to: first.to, data: first.data };
  }
  const data = encodeFunctionData({
    abi: multicall3Abi,
    functionName: "aggregate3",
    args: [calls.map(({ to, data }) => ({ target: to, allowFailure: false, callData: data }))],
  });
  return { to: multicall3Address, data };
}
