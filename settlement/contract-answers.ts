import { BaseError, InternalRpcError } from "viem";

/** What viem says when a contract refused a call, or gave an answer that is none. */
const contractAnswers = new Set([
  "ContractFunctionRevertedError",
  "ContractFunctionZeroDataError",
  "ExecutionRevertedError",
  "AbiDecodingDataSizeTooSmallError",
  "AbiDecodingZeroDataError",
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

/** Tells that a call takes more gas than a node spends on one: its contract's doing, whatever the node calls it. */
export const isOutOfGas = (error: BaseError): boolean => says(error, outOfGas);

const says = (error: BaseError, words: RegExp) =>
  error.walk((cause) => words.test((cause as Partial<BaseError>).details ?? "")) !== null;

const outOfGas = /out ?of ?gas|gas required exceeds/i;
/** Code that broke off without a revert (Yellow Paper, 9.4.2), in the words of geth and of revm: the contract's doing too. */
const halted =
  /invalid ?jump|invalid ?(fe ?)?opcode|opcode ?not ?found|stack ?(underflow|overflow|limit)|(return ?data|offset) ?out ?of ?bounds|out ?of ?offset|write ?protection|during ?static ?call|inside ?static/i;
