import { BaseError, InternalRpcError } from "viem";

/** The names of viem's errors for a contract's refusal or an unusable answer. */
const contractAnswers = new Set([
  "ContractFunctionRevertedError",
  "ContractFunctionZeroDataError",
  "ExecutionRevertedError",
  "AbiDecodingDataSizeTooSmallError",
  "AbiDecodingZeroDataError",
  "IntegerOutOfRangeError",
  "InvalidBytesBooleanError",
]);

/** Whether an error is a contract's refusal of a read. An error of the node says nothing about the contract. */
export function isContractAnswer(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  if (isOutOfGas(error) || says(error, halted)) return true;
  if (error.walk((cause) => contractAnswers.has((cause as Error).name)) === null) return false;
  // viem reads a node's "internal error" as a refusal, since some nodes report refusals so.
  const internal = error.walk((cause) => cause instanceof InternalRpcError) as BaseError | null;
  return internal === null || /revert/i.test(internal.details);
}

/**
 * Whether a call needs more gas than it had, or than a node spends on one. The contract causes that, however the
 * node reports it. A contract's own revert message may contain the same words.
 */
export const isOutOfGas = (error: BaseError): boolean => says(error, outOfGas) && !says(error, /revert/i);

/** Nodes of the OpenEthereum kind put the cause beside their message. */
const says = (error: BaseError, words: RegExp) =>
  error.walk((cause) => {
    const { details, data } = cause as { details?: unknown; data?: unknown };
    return [details, data].some((text) => typeof text === "string" && words.test(text));
  }) !== null;

/** The messages of geth and Erigon, Reth, anvil (as `MemoryOOG`), and Nethermind. */
const outOfGas =
  /out ?of ?gas|OOG\b|gas required exceeds|gas spent exceeded|gas uint64 overflow|intrinsic gas too (low|high)/i;
/** Messages for code that ended without a revert (Yellow Paper, 9.4.2), which is the contract's doing, too. */
const halted =
  /(invalid|bad) ?jump|(invalid|bad) ?(fe ?)?(opcode|instruction)|opcode ?not ?found|not ?activated|stack ?(underflow|overflow|limit)|(return ?data|offset) ?out ?of ?bounds|out ?of ?offset|access ?violation|write ?protection|during ?static ?call|inside ?static|static ?call ?violation|^reverted/i;
