import { type Hex, sha256, stringToBytes } from "viem";
import type { EscrowState } from "./actions.ts";

/** The stages of a dispute. */
export const disputeStages = {
  none: "the order is not disputed",
  intent: "a party announced a dispute; the escrow is not affected",
  open: "a dispute is open on the chain; the arbiter may decide",
  silent:
    "the arbiter's deadline has passed without a decision; the default outcome applies (without a delivery, after the delivery deadline)",
  decided: "the dispute is decided; the appeal window is open",
  settleable: "the dispute is decided, and anyone may settle it",
  settled: "the escrow was paid out",
} as const;
export type DisputeStage = keyof typeof disputeStages;

/**
 * Returns the stage of an order's dispute at a moment.
 *
 * @param escrow as indexed, with the time of its dispute (null if never); null before funding
 * @param intended whether a party announced a dispute
 * @param now unix seconds
 */
export function disputeStage(
  escrow: (Pick<EscrowState, "status" | "decideBy" | "settleableAt"> & { disputedAt: bigint | null }) | null,
  intended: boolean,
  now: bigint,
): DisputeStage {
  if (!escrow || escrow.disputedAt === null) return intended ? "intent" : "none";
  if (escrow.status === "disputed") return now > (escrow.decideBy ?? now) ? "silent" : "open";
  if (escrow.status === "decided") return now < (escrow.settleableAt ?? now) ? "decided" : "settleable";
  return "settled";
}

/** Computes the hash of a reason or a ruling for the chain: the SHA-256 of its text's UTF-8 bytes. */
export function hashOfText(text: string): Hex {
  return sha256(stringToBytes(text));
}
