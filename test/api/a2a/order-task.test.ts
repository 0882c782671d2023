import { expect, test } from "vitest";
import { paymentErrorOf, type ShownOrder, type ShownPayment, taskOf } from "../../../api/a2a/order-task.ts";
import { orderStatuses } from "../../../protocol/settlement/vocabulary.ts";

const id = "ord_01jd3w8x2mfhz8w9q4t6n5k7ra";
const order = (more: Partial<ShownOrder> = {}) =>
  ({
    id,
    reference: "E-7K3M9Q",
    status: "created",
    total_amount: "2.50",
    currency: "TUSD",
    created_at: "2026-11-29T10:00:00.000Z",
    funded_at: null,
    started_at: null,
    delivered_at: null,
    disputed_at: null,
    completed_at: null,
    acceptance_ends_at: null,
    stages: null,
    escrow: { chain_id: 31337 },
    ...more,
  }) as unknown as ShownOrder;
const payment = (more: Partial<ShownPayment> = {}): ShownPayment => ({
  status: "accepted",
  payer: "0x90F7",
  transaction_hash: null,
  error: null,
  ...more,
});
const stateOf = (status: string, more: Partial<ShownOrder> = {}, paid?: ShownPayment) =>
  taskOf(order({ status, ...more } as Partial<ShownOrder>), { payment: paid ?? null }).status.state.replace(
    "TASK_STATE_",
    "",
  );

test("each status of an order has the state of a task", () => {
  expect(Object.fromEntries(orderStatuses.map((status) => [status, stateOf(status)]))).toEqual({
    created: "INPUT_REQUIRED",
    expired: "CANCELED",
    funded: "SUBMITTED",
    started: "WORKING",
    delivered: "COMPLETED",
    disputed: "WORKING",
    released: "COMPLETED",
    refunded: "FAILED",
  });
  expect(stateOf("created", {}, payment())).toBe("SUBMITTED");
  expect(stateOf("created", {}, payment({ status: "failed" }))).toBe("INPUT_REQUIRED");
  expect(stateOf("delivered", { stages: [] })).toBe("INPUT_REQUIRED");
});

test("a delivered order has its output as an artifact, and the receipt of its payment", () => {
  const paid = payment({ status: "confirmed", transaction_hash: "0xabc" });
  const task = taskOf(order({ status: "delivered", output_payload: { n: 1 } } as never), { payment: paid });
  expect(task.artifacts).toMatchObject([{ artifactId: "output", parts: [{ data: { n: 1 } }] }]);
  expect(task.status.message).toMatchObject({
    metadata: {
      "x402.payment.status": "payment-completed",
      "x402.payment.receipts": [{ success: true, network: "eip155:31337", transaction: "0xabc" }],
    },
  });
  expect(taskOf(order()).artifacts).toBeUndefined();
});

test("a failed payment says why, and one on its way has no receipt", () => {
  const failed = taskOf(order(), { payment: payment({ status: "failed", error: "It reverted." }) });
  expect(failed.status.message).toMatchObject({
    metadata: {
      "x402.payment.status": "payment-failed",
      "x402.payment.error": "SETTLEMENT_FAILED",
      "x402.payment.receipts": [{ success: false, errorReason: "It reverted." }],
    },
  });
  const underWay = taskOf(order(), { payment: payment({ status: "submitted" }) });
  expect(underWay.status.message).toMatchObject({ metadata: { "x402.payment.receipts": [] } });
});

test.each([
  ["invalid_exact_evm_signature", "INVALID_SIGNATURE"],
  ["permit2_insufficient_balance", "INSUFFICIENT_FUNDS"],
  ["invalid_exact_evm_payload_authorization_valid_before", "EXPIRED_PAYMENT"],
  ["terms_expired", "EXPIRED_PAYMENT"],
  ["invalid_exact_evm_nonce_already_used", "DUPLICATE_NONCE"],
  ["invalid_exact_evm_network_mismatch", "NETWORK_MISMATCH"],
  ["invalid_exact_evm_payload_authorization_value_mismatch", "INVALID_AMOUNT"],
  ["terms_changed", "terms_changed"],
])("the reason %s has the code %s", (reason, code) => {
  expect(paymentErrorOf(reason)).toBe(code);
});
