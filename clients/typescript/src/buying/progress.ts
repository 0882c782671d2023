import type { Hex } from "viem";
import type { Order, Payment } from "../generated/types.ts";
import type { AgreedOrder } from "./agreed.ts";

/**
 * What a purchase has come to.
 *
 * - `agreed`: the order is placed, and says what was asked for; it is paid next, where it is not paid.
 * - `sent`: a call of the wallet is mined.
 * - `signed`: the service has the signature, and sends it.
 * - `funded`: the escrow holds the money.
 */
export type Progress =
  | { step: "agreed"; order: Order; agreed: AgreedOrder }
  | { step: "sent"; function: string; hash: Hex; blockNumber: bigint }
  | { step: "signed"; payment: Payment }
  | { step: "funded"; order: Order };

/** Is told of each step, and awaited: the place to keep the order's id before it is paid. */
export type OnProgress = (progress: Progress) => void | Promise<void>;
