import { BaseError, InternalRpcError } from "viem";

/** What viem says when a contract refused a call, or gave an answer that is none. */
const contractAnswers = new Set([
  "ContractFunctionRevertedError",
  "ContractFunctionZeroDataError",
  "ExecutionRevertedError",
  "AbiDecodingDataSizeTooSmallError",
  "AbiDecodingZeroDataError",
  "IntegerOutOfRangeError",
  "InvalidBytesBooleanError",
]);

/** Tells a contract's refusal of a read from a node that did not, or could not, ask it: that says nothing about it. */
export function isContractAnswer(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  if (isOutOfGas(error) || says(error, halted)) return true;
  if (error.walk((cause) => contractAnswers.has((cause as Error).name)) === null) return false;
  // viem reads a node's own "internal error" as a refusal, since some nodes say that of one.
  const internal = error.walk((cause) => cause instanceof InternalRpcError) as BaseError | null;
  return internal === null || /revert/i.test(internal.details);
}

/**
 * Tells that a call takes more gas than it had, or than a node spends on one: its contract's doing, whatever the node calls it.
 * What a contract says in a revert is its own word, and may be this one.
 */
export const isOutOfGas = (error: BaseError): boolean => says(error, outOfGas) && !says(error, /revert/i);

/** Older nodes of OpenEthereum's kind say what happened beside their message. */
const says = (error: BaseError, words: RegExp) =>
  error.walk((cause) => {
    const { details, data } = cause as { details?: unknown; data?: unknown };
    return [details, data].some((text) => typeof text === "string" && words.test(text));
  }) !== null;

/** In the words of geth and Erigon, Reth, anvil (as `MemoryOOG`), and Nethermind. */
const outOfGas =
  /out ?of ?gas|OOG\b|gas required exceeds|gas spent exceeded|gas uint64 overflow|intrinsic gas too (low|high)/i;
/** Code that broke off without a revert (Yellow Paper, 9.4.2), in the words of the same: the contract's doing too. */
const halted =
  /(invalid|bad) ?jump|(invalid|bad) ?(fe ?)?(opcode|instruction)|opcode ?not ?found|stack ?(underflow|overflow|limit)|(return ?data|offset) ?out ?of ?bounds|out ?of ?offset|access ?violation|write ?protection|during ?static ?call|inside ?static|static ?call ?violation|^reverted/i;
