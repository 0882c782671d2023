import { digestOf, signatureDeadline, signedActData } from "../../../../protocol/settlement/index.ts";
import type { BaseClient } from "../base-client.ts";
import { type AgreedOrder, readAgreed } from "../buying/agreed.ts";
import { relayFailure, UntrustedOrderError } from "../buying/errors.ts";
import { nowOf } from "../buying/paying.ts";
import type { Signer } from "../buying/wallet.ts";
import { ApiError } from "../core/errors.ts";
import { passes, pause } from "../core/retry.ts";
import type { Agreement, Order } from "../generated/types.ts";
import { deliveryRecordOf } from "./delivery-record.ts";
import { DeclinedError } from "./errors.ts";

/** What a handler is told of the order that it works for. */
export interface HandlerContext {
  order: Order;
  agreement: Agreement;
  /** The delivery deadline: from then on the buyer may take the money back. */
  deliverBy: Date;
  /** Aborts at the deadline. */
  signal: AbortSignal;
  /** 1 for the first call of this run. */
  attempt: number;
  /** The order was begun before, by a run that did not deliver: some of the work may be done. */
  isRetry: boolean;
  /** What the buyer asked to have changed, where it did. */
  changes: string | null;
  /** Why the call before was not enough: what it threw, or the refusal of its output (`output_schema_violation`). */
  lastError: unknown;
}

/** Does the work of an order, and gives its output as the service's `output_schema` says. */
export type Handler<Input> = (input: Input, context: HandlerContext) => Output | Promise<Output>;
type Output = object | null;

export interface Work {
  client: BaseClient;
  agentId: string;
  handlers: Record<string, Handler<unknown>>;
  signer: Signer | null;
  /** Stops between two calls; what was begun is finished. */
  signal: AbortSignal;
  attempts: number;
  check: (agreed: AgreedOrder) => Promise<void>;
  onError: (error: unknown, context: HandlerContext | null) => void;
  onDelivered: () => void;
}

/**
 * Does what an order waits for: starts it, has it done, delivers, records. The order's own status says what is left to do, so
 * a run after a crash goes on where the one before was ended.
 *
 * @returns whether this run has nothing more to do for the order
 */
export async function workOn(orderId: string, work: Work): Promise<boolean> {
  const { client, agentId, signer } = work;
  let order = await client.orders.get(orderId);
  if (order.agent_id !== agentId) return true;
  if (order.status === "delivered" && signer && order.delivery_record === "none") {
    // Asked about again at the next look, until the chain has it.
    await record(await readOrder(order, client), order, signer, work);
    return false;
  }
  if (order.status !== "funded" && order.status !== "started") return true;
  const agreed = await readOrder(order, client);
  const handler = work.handlers[String(agreed.agreement.service_slug)];
  if (!handler) throw new TypeError(`There is no handler for the service ${agreed.agreement.service_slug}.`);
  await work.check(agreed);
  const deliverBy = new Date(order.delivery_deadline ?? 0);
  if (deliverBy.getTime() <= Date.now() || work.signal.aborted) return true;
  const begun = order.status === "started";
  if (!begun) order = await client.orders.start(orderId);
  const { changes, deliveries } = await readTrail(orderId, client);
  const context: HandlerContext = {
    order,
    agreement: agreed.agreement,
    deliverBy,
    signal: endingAt(deliverBy),
    attempt: 1,
    isRetry: begun && changes === null,
    changes,
    lastError: null,
  };
  const delivered = await attempt(handler, context, { ...work, agreed, deliveries });
  if (!delivered) return true;
  work.onDelivered();
  if (signer) await record(agreed, delivered, signer, work);
  return false;
}

/** Calls the handler until its output is taken; null where it is given up. */
async function attempt(
  handler: Handler<unknown>,
  context: HandlerContext,
  work: Work & { agreed: AgreedOrder; deliveries: number },
): Promise<Order | null> {
  const { client, signer, signal, agreed, deliveries } = work;
  const { order } = context;
  for (; ; context.attempt += 1) {
    try {
      const output = (await handler(order.input_payload, context)) as Record<string, unknown> | null;
      // The same output again is the same delivery; after a request for changes it is another one.
      const idempotencyKey = `deliver-${order.id}-${deliveries + 1}-${digestOf(output).slice(2, 34)}`;
      return await insist(signal, () =>
        client.orders.deliver(order.id, { output_payload: output }, { idempotencyKey }),
      );
    } catch (error) {
      context.lastError = error;
      if (error instanceof DeclinedError && signer) return await refund(agreed, signer, client);
      work.onError(error, context);
      // Refunded or disputed meanwhile: there is nothing more to deliver.
      if (error instanceof ApiError && error.code === "invalid_state") return null;
      if (context.attempt >= work.attempts || context.signal.aborted || signal.aborted) return null;
      await pause(1_000 * 2 ** (context.attempt - 1), signal).catch(() => {});
    }
  }
}

/** Asks again while waiting mends it: the work is done, and only its answer is missing. */
async function insist<T>(signal: AbortSignal, ask: () => PromiseLike<T>): Promise<T> {
  for (let waitMs = 1_000; ; waitMs = Math.min(2 * waitMs, 30_000)) {
    try {
      return await ask();
    } catch (error) {
      if (!passes(error) || signal.aborted) throw error;
      await pause(waitMs, signal).catch(() => {});
    }
  }
}

async function readOrder(order: Order, client: BaseClient): Promise<AgreedOrder> {
  const agreed = readAgreed(order.id, order, await client.orders.getAgreement(order.id));
  const expected = agreed.agreement.input_digest ?? null;
  const found = order.input_payload === null ? null : digestOf(order.input_payload);
  if (expected !== found) throw new UntrustedOrderError(order.id, "order.input_payload", expected, found);
  return agreed;
}

/** How often it was delivered, and what the buyer asked to have changed since. */
async function readTrail(orderId: string, client: BaseClient) {
  let changes: string | null = null;
  let deliveries = 0;
  for await (const { type, data } of client.orders.listTrail(orderId)) {
    if (type === "order.delivered") deliveries += 1;
    if (type === "order.revision_requested") changes = String(data.reason);
  }
  return { changes, deliveries };
}

/**
 * Signs that the output was delivered, for the service to record it on the chain: what is signed names this order's escrow
 * and this output, and nothing else.
 */
async function record(
  agreed: AgreedOrder,
  order: Order,
  signer: Signer,
  { client, onError }: Pick<Work, "client" | "onError">,
): Promise<void> {
  try {
    const asked = await client.orders.getDeliveryRecordToSign(order.id);
    const data = deliveryRecordOf(agreed, order, asked.typed_data);
    await client.orders.recordDelivery(order.id, { signature: await signer.sign(data) });
    const failure = relayFailure(order.id, "record of the delivery", asked);
    if (failure) onError(failure, null);
  } catch (error) {
    // Recorded already, ended, or too late.
    if (!(error instanceof ApiError && (error.code === "invalid_state" || error.code === "conflict")))
      throw error;
  }
}

/** Sends the money back. */
async function refund(agreed: AgreedOrder, signer: Signer, client: BaseClient): Promise<null> {
  const deadline = signatureDeadline(await nowOf(signer));
  const signature = await signer.sign(signedActData("refund", agreed, { deadline }));
  await client.orders.refund(agreed.orderId, { signature, deadline: String(deadline) });
  return null;
}

/** Timers hold 31 bits of milliseconds; what is further away does not abort. */
function endingAt(time: Date): AbortSignal {
  const ms = time.getTime() - Date.now();
  return ms < 2 ** 31 ? AbortSignal.timeout(Math.max(0, ms)) : new AbortController().signal;
}
