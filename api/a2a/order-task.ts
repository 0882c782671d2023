import type { z } from "@hono/zod-openapi";
import type { OrderStatus } from "../../protocol/settlement/vocabulary.ts";
import type { listedOrderSchema } from "../orders/order.ts";
import { paymentKeys } from "./message-request.ts";

/** The states of A2A's tasks that orders have. */
export type TaskState =
  | "TASK_STATE_SUBMITTED"
  | "TASK_STATE_WORKING"
  | "TASK_STATE_INPUT_REQUIRED"
  | "TASK_STATE_AUTH_REQUIRED"
  | "TASK_STATE_COMPLETED"
  | "TASK_STATE_FAILED"
  | "TASK_STATE_CANCELED";

/** The state of a task by the status of its order. */
export const taskStates: Readonly<Record<OrderStatus, TaskState>> = {
  created: "TASK_STATE_INPUT_REQUIRED",
  expired: "TASK_STATE_CANCELED",
  funded: "TASK_STATE_SUBMITTED",
  started: "TASK_STATE_WORKING",
  delivered: "TASK_STATE_COMPLETED",
  disputed: "TASK_STATE_WORKING",
  released: "TASK_STATE_COMPLETED",
  refunded: "TASK_STATE_FAILED",
};

const texts: Readonly<Record<OrderStatus, string>> = {
  created: "The order waits for its payment.",
  expired: "The order was not paid in time.",
  funded: "The escrow holds the payment. The provider has not begun yet.",
  started: "The provider works on the order.",
  delivered: "The provider delivered. The buyer may accept the delivery, or dispute it.",
  disputed: "The order is disputed.",
  released: "The escrow paid the provider.",
  refunded: "The escrow paid the buyer back.",
};

export type ShownOrder = z.output<typeof listedOrderSchema>;

/** A payment as the API shows it. */
export type ShownPayment = {
  status: "accepted" | "submitted" | "confirmed" | "failed";
  payer: string;
  transaction_hash: string | null;
  error: string | null;
};

/** The token that reads an order, as a purchase without an account gets it. */
export type ShownClaim = { token: string; order_url: string; receipts_url: string };

/** A task of A2A in its JSON form. */
export type TaskJson = {
  id: string;
  contextId: string;
  status: { state: TaskState; timestamp: string; message: object };
  artifacts?: object[];
  metadata?: Record<string, unknown>;
};

/** The codes of the x402 extension for the reasons of refused payments. A reason without a code keeps its name. */
const paymentErrors: readonly [RegExp, string][] = [
  [/_signature$/, "INVALID_SIGNATURE"],
  [/insufficient_balance$/, "INSUFFICIENT_FUNDS"],
  [/(valid_before|deadline_expired|terms_expired)$/, "EXPIRED_PAYMENT"],
  [/(nonce_already_used|invalid_nonce)$/, "DUPLICATE_NONCE"],
  [/network_mismatch$/, "NETWORK_MISMATCH"],
  [/(value|amount)_mismatch$/, "INVALID_AMOUNT"],
  [/^transaction_failed$/, "SETTLEMENT_FAILED"],
];

/** Returns the code of the x402 extension for a refused payment. */
export function paymentErrorOf(reason: string): string {
  return paymentErrors.find(([pattern]) => pattern.test(reason))?.[1] ?? reason;
}

/** Writes a task in a state of an order that is not read, such as one without an order. */
export function writeTask(
  id: string,
  state: TaskState,
  text: string,
  metadata: Record<string, unknown>,
  { timestamp = new Date().toISOString(), parts = [] as object[] } = {},
): TaskJson {
  const message = {
    messageId: `${id}-${state.slice("TASK_STATE_".length).toLowerCase()}`,
    taskId: id,
    contextId: id,
    role: "ROLE_AGENT",
    parts: [{ text }, ...parts],
    metadata,
  };
  return { id, contextId: id, status: { state, timestamp, message } };
}

/** Writes an order, with its last payment if it is known, as a task. */
export function taskOf(
  order: ShownOrder,
  { payment = null, claim }: { payment?: ShownPayment | null; claim?: ShownClaim | undefined } = {},
): TaskJson {
  const isPaid = payment !== null && payment.status !== "failed";
  const isOnItsWay = order.status === "created" && isPaid;
  const state = isOnItsWay ? "TASK_STATE_SUBMITTED" : stateOf(order);
  const text = isOnItsWay ? "The payment is on its way to the escrow." : texts[order.status];
  const task = writeTask(order.id, state, text, paymentOf(order, payment), { timestamp: timeOf(order) });
  const { reference, status, total_amount, currency, acceptance_ends_at, escrow } = order;
  return {
    ...task,
    ...(order.output_payload ? { artifacts: [artifactOf(order.output_payload)] } : {}),
    metadata: {
      order: { reference, status, total_amount, currency, acceptance_ends_at, escrow },
      ...(claim ? { claim } : {}),
    },
  };
}

/** Each delivered stage waits for the buyer, and the task of such an order is complete once it is paid. */
function stateOf({ status, stages }: ShownOrder): TaskState {
  return status === "delivered" && stages !== null ? "TASK_STATE_INPUT_REQUIRED" : taskStates[status];
}

function paymentOf(order: ShownOrder, payment: ShownPayment | null): Record<string, unknown> {
  if (!payment) return {};
  const { status, payer, transaction_hash: transaction, error } = payment;
  const receipt = { network: `eip155:${order.escrow.chain_id}`, transaction: transaction ?? "", payer };
  if (status === "failed") {
    return {
      [paymentKeys.status]: "payment-failed",
      [paymentKeys.error]: paymentErrorOf("transaction_failed"),
      [paymentKeys.receipts]: [{ success: false, errorReason: error ?? "transaction_failed", ...receipt }],
    };
  }
  // The chain has confirmed the funding of every order past `created`.
  const isSettled = status === "confirmed" || order.funded_at !== null;
  return {
    [paymentKeys.status]: isSettled ? "payment-completed" : "payment-verified",
    [paymentKeys.receipts]: isSettled ? [{ success: true, ...receipt }] : [],
  };
}

const artifactOf = (output: object) => ({
  artifactId: "output",
  name: "Output",
  parts: [{ data: output, mediaType: "application/json" }],
});

function timeOf(order: ShownOrder): string {
  const { completed_at, disputed_at, delivered_at, started_at, funded_at, created_at } = order;
  return completed_at ?? disputed_at ?? delivered_at ?? started_at ?? funded_at ?? created_at;
}
