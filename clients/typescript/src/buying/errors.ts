import { EarnestError } from "../core/errors.ts";
import type { DataToSign, Order } from "../generated/types.ts";

/**
 * The service shows something else than was asked for, or than the order's own agreement says. Nothing was signed or sent
 * since.
 */
export class UntrustedOrderError extends EarnestError {
  /** Null where no order was placed yet. */
  readonly orderId: string | null;
  /** What differs, as in `agreement.provider` or `payment_instructions.calls[1].data`. */
  readonly field: string;
  readonly expected: string;
  readonly found: string;

  constructor(orderId: string | null, field: string, expected: unknown, found: unknown) {
    const [wanted, got] = [show(expected), show(found)];
    super(`${orderId ?? "The service"}: ${field} is ${got}, where ${wanted} belongs. Nothing was signed.`);
    this.orderId = orderId;
    this.field = field;
    this.expected = wanted;
    this.found = got;
  }
}

/** The order came to another end than was waited for. */
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
 * The order is above what its API key may spend by itself: an owner or admin has to approve it, or has refused it. It is
 * placed, and nothing was paid. Once it is approved, `resume` pays it, as does the same purchase again.
 */
export class ApprovalRequiredError extends EarnestError {
  readonly order: Order;
  readonly isRefused: boolean;

  constructor(order: Order) {
    const isRefused = order.approval?.status === "refused";
    const said = isRefused
      ? "was refused by an owner or admin"
      : "waits for the approval of an owner or admin";
    super(`${order.id} ${said}. Nothing was paid.`);
    this.order = order;
    this.isRefused = isRefused;
  }
}

/**
 * The service could not send to the chain what was signed: the contract refused it. The same act again has it sent again.
 */
export class RelayFailedError extends EarnestError {
  readonly orderId: string;
  readonly act: string;
  /** The contract's reason, if the service knows it. */
  readonly reason: string | null;

  constructor(orderId: string, act: string, reason: string | null) {
    super(`The ${act} of ${orderId} was not sent: ${reason ?? "the service does not say why"}.`);
    this.orderId = orderId;
    this.act = act;
    this.reason = reason;
  }
}

/** Why what was signed before did not come to the chain, where it did not. */
export function relayFailure(
  orderId: string,
  act: string,
  { relay }: Pick<DataToSign, "relay">,
): RelayFailedError | null {
  return relay?.status === "failed" ? new RelayFailedError(orderId, act, relay.error) : null;
}

/** The order was not paid: the reason is x402's own word, or what the chain said. */
export class PaymentFailedError extends EarnestError {
  readonly orderId: string;
  readonly reason: string;

  constructor(orderId: string, reason: string) {
    super(`${orderId} was not paid: ${reason}.`);
    this.orderId = orderId;
    this.reason = reason;
  }
}

/** The wallet's transaction was refused by the chain. */
export class TransactionError extends EarnestError {
  readonly hash: string;

  constructor(call: string, hash: string) {
    super(`The chain refused the transaction of ${call}: ${hash}.`);
    this.hash = hash;
  }
}

function show(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, plain) ?? "nothing");
}

function plain(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
