import {
  type Address,
  decodeErrorResult,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  multicall3Abi,
  type PublicClient,
} from "viem";
import { escrowAbi } from "../../abis/escrow.ts";
import type { PaymentCall } from "../../db/schema.ts";
import { multicall3Address } from "../../protocol/settlement/x402.ts";
import { simulationGas } from "./payer-signature.ts";

/** The contract's errors for a token that moved less than the amount. */
const tooLittle = new Set(["DepositTooLow", "ReceivedTooLittle"]);

/**
 * Tells whether a payment's calls would succeed except the last one, because the token moved less than the amount: it keeps a
 * fee, or changes balances. Sent one by one, the calls would leave the money at the deposit address.
 *
 * @param sender the only account that can send the first call; it has Multicall3's code in the simulation
 * @returns false if the chain does not answer or has no Multicall3
 */
export async function movesTooLittle(
  client: PublicClient,
  calls: PaymentCall[],
  sender?: Address,
): Promise<boolean> {
  const aggregated = calls.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }));
  const call = { abi: multicall3Abi, functionName: "aggregate3" } as const;
  const data = encodeFunctionData({ ...call, args: [aggregated] });
  try {
    const code = sender && (await client.getCode({ address: multicall3Address }));
    const answer = await client.call({
      to: sender ?? multicall3Address,
      data,
      gas: simulationGas,
      ...(sender && code ? { stateOverride: [{ address: sender, code }] } : {}),
    });
    const results = decodeFunctionResult({ ...call, data: answer.data as Hex });
    const failed = results.find(({ success }) => !success);
    return failed !== undefined && tooLittle.has(errorOf(failed.returnData));
  } catch {
    return false;
  }
}

function errorOf(data: Hex): string {
  try {
    return decodeErrorResult({ abi: escrowAbi, data }).errorName;
  } catch {
    return "";
  }
}
