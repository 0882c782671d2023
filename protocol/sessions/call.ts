import type { Hex } from "viem";
import { sha256OfText } from "../settlement/sha256.ts";

/** The headers of a call and of its answer. The body of each is the input, and the output, as plain bytes. */
export const sessionHeader = "earnest-session";
export const voucherHeader = "earnest-voucher";
export const closeHeader = "earnest-close";
export const statementHeader = "earnest-statement";

/** The buyer's voucher for a call: the amount of all calls so far in base units, and the hash of this call. */
export type CallVoucher = { cumulativeAmount: bigint; workHash: Hex; signature: Hex };

/** The call that a work hash names. */
export type NamedCall = { escrowId: Hex; cumulativeAmount: bigint; inputHash: Hex };

/** The answer that a statement names. */
export type NamedAnswer = { escrowId: Hex; cumulativeAmount: bigint; workHash: Hex; outputHash: Hex };

/**
 * Computes the hash of a call, which its voucher signs. The escrow's id names the chain, the contract and the agreed terms,
 * so a voucher is good for one call of one session.
 */
export function workHashOf({ escrowId, cumulativeAmount, inputHash }: NamedCall): Hex {
  return sha256OfText(`earnest-call/1\n${escrowId}\n${cumulativeAmount}\n${inputHash}`);
}

/** Writes the text that the session's key signs for an answer (Ed25519). */
export function statementOf({ escrowId, cumulativeAmount, workHash, outputHash }: NamedAnswer): string {
  return `earnest-answer/1\n${escrowId}\n${cumulativeAmount}\n${workHash}\n${outputHash}`;
}

/** Writes the header of a voucher. */
export function writeVoucher({ cumulativeAmount, workHash, signature }: CallVoucher): string {
  return `${cumulativeAmount};${workHash};${signature}`;
}

const voucherForm = /^([1-9][0-9]{0,38});(0x[0-9a-f]{64});(0x[0-9a-f]{130})$/;

/** Reads the header of a voucher; null if it has another form. */
export function readVoucher(text: string): CallVoucher | null {
  const found = voucherForm.exec(text);
  if (!found) return null;
  const [, amount = "", workHash, signature] = found;
  return { cumulativeAmount: BigInt(amount), workHash: workHash as Hex, signature: signature as Hex };
}

const closeForm = /^(0|[1-9][0-9]{0,38});([1-9][0-9]{0,15});(0x[0-9a-f]{130})$/;

/** The buyer's signed wish to close: the amount of all calls, and the signature's deadline in unix seconds. */
export type CloseRequest = { providerAmount: bigint; deadline: bigint; signature: Hex };

/** Writes the header of a close request. */
export function writeCloseRequest({ providerAmount, deadline, signature }: CloseRequest): string {
  return `${providerAmount};${deadline};${signature}`;
}

/** Reads the header of a close request; null if it has another form. */
export function readCloseRequest(text: string): CloseRequest | null {
  const found = closeForm.exec(text);
  if (!found) return null;
  const [, amount = "", deadline = "", signature] = found;
  return { providerAmount: BigInt(amount), deadline: BigInt(deadline), signature: signature as Hex };
}
