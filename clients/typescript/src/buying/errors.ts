import { EarnestError } from "../core/errors.ts";
import type { DataToSign, Order } from "../generated/types.ts";

/**
 * The order that the service shows differs from the request or from the order's agreement. Nothing was signed or sent.
 */
export class UntrustedOrderError extends EarnestError {
  readonly code = "untrusted_order";
  /** Null if no order was placed yet. */
  readonly orderId: string | null;
  /** The field that differs, such as `agreement.provider` or `payment_instructions.calls[1].data`. */
  readonly field: string;
  readonly expected: string;
  readonly found: string;

  constructor(orderId: string | null, field: string, expected: unknown, found: unknown) {
    const [expectedText, foundText] = [show(expected), show(found)];
    super(
      `${orderId ?? "The service"}: ${field} is ${foundText}, expected ${expectedText}. Nothing was signed.`,
    );
    this.orderId = orderId;
    this.field = field;
    this.expected = expectedText;
    this.found = foundText;
  }
}

/** The order ended with another status than the awaited one. */
export class OrderEndedError extends EarnestError {
  readonly orderId: string;
  readonly status: string;

  constructor(orderId: string, status: string, awaited: string) {
    super(`${orderId} is ${status} and will not be ${awaited}.`);
    this.orderId = orderId;
    this.status = status;
  }
}

/**
 * The order exceeds its API key's approval limit: an owner or admin has to approve it, or has refused it. The order is
 * placed but not paid. After the approval, `resume` or an equal purchase pays it.
 */
export class ApprovalRequiredError extends EarnestError {
  readonly order: Order;
  readonly isRefused: boolean;

  constructor(order: Order) {
    const isRefused = order.approval?.status === "refused";
    const state = isRefused
      ? "was refused by an owner or admin"
      : "waits for the approval of an owner or admin";
    super(`${order.id} ${state}. Nothing was paid.`);
    this.order = order;
    this.isRefused = isRefused;
  }
}

/**
 * The contract refused a signed action that the service tried to send. Repeating the action sends it again.
 */
export class RelayFailedError extends EarnestError {
  readonly orderId: string;
  readonly act: string;
  /** The contract's reason, if the service knows it. */
  readonly reason: string | null;

  constructor(orderId: string, act: string, reason: string | null) {
    super(`The ${act} of ${orderId} was not sent: ${reason ?? "the service gave no reason"}.`);
    this.orderId = orderId;
    this.act = act;
    this.reason = reason;
  }
}

/** Returns the error of a signed action that the contract refused, or null. */
export function relayFailure(
  orderId: string,
  act: string,
  { relay }: Pick<DataToSign, "relay">,
): RelayFailedError | null {
  return relay?.status === "failed" ? new RelayFailedError(orderId, act, relay.error) : null;
}

/** The order was not paid. The reason is an x402 error code or the chain's error. */
export class PaymentFailedError extends EarnestError {
  readonly orderId: string;
  readonly reason: string;

  constructor(orderId: string, reason: string) {
    super(`${orderId} was not paid: ${reason}.`);
    this.orderId = orderId;
    this.reason = reason;
  }
}

/** The wallet's transaction reverted. */
export class TransactionError extends EarnestError {
  readonly hash: string;

  constructor(call: string, hash: string) {
    super(`The transaction of ${call} reverted: ${hash}.`);
    this.hash = hash;
  }
}

function show(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, plain) ?? "nothing");
}

function plain(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
