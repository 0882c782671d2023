import type { Hex } from "viem";
import type { Order, OrderClaim, Payment } from "../generated/types.ts";
import type { AgreedOrder } from "./agreement-check.ts";

/**
 * A step of a purchase.
 *
 * `agreed`: the order is placed and matches the request. An unpaid order is paid next.
 * `offered`: the terms of a purchase without an account match the request. They are signed next.
 * `sent`: a transaction of the wallet is mined.
 * `signed`: the service has the signature and sends it. A purchase without an account has its claim now.
 * `funded`: the escrow holds the money.
 */
export type Progress =
  | { step: "agreed"; order: Order; agreed: AgreedOrder }
  | { step: "offered"; agreed: AgreedOrder }
  | { step: "sent"; function: string; hash: Hex; blockNumber: bigint }
  | { step: "signed"; payment: Payment; claim?: OrderClaim }
  | { step: "funded"; order: Order };

/** A callback for each step. It is awaited, so it can store the order's id before the payment. */
export type OnProgress = (progress: Progress) => void | Promise<void>;
