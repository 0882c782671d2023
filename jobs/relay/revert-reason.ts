import { type Abi, BaseError, decodeErrorResult, type Hex, isHex, parseAbi } from "viem";
import { escrowAbi } from "../../abis/escrow.ts";

/** The errors of the escrow contract, of tokens as ERC-6093 and OpenZeppelin's EIP-3009 name them, and of Permit2. */
const abi = [
  ...escrowAbi,
  ...parseAbi([
    "error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)",
    "error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)",
    "error ERC20InvalidSender(address sender)",
    "error ERC20InvalidReceiver(address receiver)",
    "error ERC3009InvalidAuthorizationTime(uint256 validAfter, uint256 validBefore)",
    "error ERC3009UsedAuthorization(address authorizer, bytes32 nonce)",
    "error ERC3009InvalidSignature()",
    "error InvalidNonce()",
    "error SignatureExpired(uint256 signatureDeadline)",
  ]),
];

/** The longest reason, in characters. A contract may return any text of any length. */
const longest = 300;

/**
 * Describes why a contract refused a call, by its error, as in `TooLate(timestamp 1700000100, notAfter 1700000000)`.
 * The result is one line of printable text.
 *
 * @returns null if the error is not a refusal by the contract, such as an unreachable node
 */
export function revertReasonOf(error: unknown): string | null {
  if (!(error instanceof BaseError)) return null;
  const reverted = error.walk((cause) => (cause as Error).name === "ExecutionRevertedError");
  const data = revertDataOf(error);
  if (data) return toOneLine(describeRevert(data));
  return reverted ? "the contract refused the call without a reason" : null;
}

function revertDataOf(error: BaseError): Hex | null {
  let revertData: Hex | null = null;
  error.walk((cause) => {
    const { data } = cause as { data?: unknown };
    const inner = typeof data === "object" && data !== null ? (data as { data?: unknown }).data : data;
    if (isHex(inner) && inner.length >= 10) revertData = inner;
    return revertData !== null;
  });
  return revertData;
}

function describeRevert(data: Hex): string {
  try {
    const { errorName, args, abiItem } = decodeErrorResult({ abi: abi as Abi, data });
    if (errorName === "Error") return String(args?.[0]);
    const inputs = "inputs" in abiItem ? abiItem.inputs : [];
    const parts = (args ?? []).map((value, index) => `${inputs[index]?.name ?? ""} ${String(value)}`.trim());
    return `${errorName}(${parts.join(", ")})`;
  } catch {
    return `the contract refused the call with ${data}`;
  }
}

function toOneLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return line.length > longest ? `${line.slice(0, longest)}...` : line;
}
