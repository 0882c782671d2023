import { BaseError, decodeErrorResult, type Hex, isHex } from "viem";
import { escrowAbi } from "../abis/escrow.ts";

/**
 * Why a contract refused a call, in the words of its own error, as in `TooLate(timestamp 1700000100, notAfter 1700000000)`.
 *
 * @returns null when the error is not a refusal by the contract, such as an unreachable node
 */
export function revertReasonOf(error: unknown): string | null {
  if (!(error instanceof BaseError)) return null;
  const reverted = error.walk((cause) => (cause as Error).name === "ExecutionRevertedError");
  const data = revertDataOf(error);
  if (data) return describeRevert(data);
  return reverted ? "the call was refused without a reason" : null;
}

function revertDataOf(error: BaseError): Hex | null {
  let found: Hex | null = null;
  error.walk((cause) => {
    const { data } = cause as { data?: unknown };
    const inner = typeof data === "object" && data !== null ? (data as { data?: unknown }).data : data;
    if (isHex(inner) && inner.length >= 10) found = inner;
    return found !== null;
  });
  return found;
}

function describeRevert(data: Hex): string {
  try {
    const { errorName, args, abiItem } = decodeErrorResult({ abi: escrowAbi, data });
    const inputs = "inputs" in abiItem ? abiItem.inputs : [];
    const parts = (args ?? []).map((value, index) => `${inputs[index]?.name ?? ""} ${String(value)}`.trim());
    return `${errorName}(${parts.join(", ")})`;
  } catch {
    return `the call was refused with ${data}`;
  }
}
