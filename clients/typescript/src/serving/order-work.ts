import { digestOf, signatureDeadline, signedActData } from "../../../../protocol/settlement/index.ts";
import type { BaseClient } from "../base-client.ts";
import { type AgreedOrder, readAgreed } from "../buying/agreement-check.ts";
import { relayFailure, UntrustedOrderError } from "../buying/errors.ts";
import { nowOf } from "../buying/escrow-on-chain.ts";
import type { Signer } from "../buying/wallet.ts";
import { ApiError } from "../core/errors.ts";
import { isTemporary, pause } from "../core/retry.ts";
import type { Agreement, Order, OrderStage } from "../generated/types.ts";
import { deliveryRecordOf } from "./delivery-record.ts";
import { DeclinedError } from "./errors.ts";
import { MeteredOutput } from "./metered-output.ts";

/** The context of a handler's call. */
export interface HandlerContext {
  order: Order;
  agreement: Agreement;
  /** The delivery deadline, after which the buyer can reclaim the money. */
  deliverBy: Date;
  /** Aborts at the deadline. */
  signal: AbortSignal;
  /** The number of the call in this run, from 1. */
  attempt: number;
  /** Whether an earlier run started the order without delivering: some of the work may be done. */
  isRetry: boolean;
  /** The changes that the buyer requested, or null. */
  changes: string | null;
  /** The stage to work on, of an order in stages: each call of the handler returns the output of one stage. */
  stage: OrderStage | null;
  /** The error of the previous call, or the refusal of its output (`output_schema_violation`). */
  lastError: unknown;
}

/**
 * Does the work of an order. Returns an output that matches the service's `output_schema`; of a metered service, by
 * `metered` with the units to charge.
 */
export type Handler<Input> = (input: Input, context: HandlerContext) => Output | Promise<Output>;
type Output = object | null | MeteredOutput;

export interface Work {
  client: BaseClient;
  agentId: string;
  handlers: Record<string, Handler<unknown>>;
  signer: Signer | null;
  /** Stops the work between two calls. */
  signal: AbortSignal;
  attempts: number;
  check: (agreed: AgreedOrder) => Promise<void>;
  onError: (error: unknown, context: HandlerContext | null) => void;
  onDelivered: () => void;
}

/**
 * Does the next steps of an order: start, handler, delivery, record. The order's status determines the steps, so a run
 * after a crash resumes where the earlier run stopped.
 *
 * @returns whether the order is finished for this run
 */
export async function workOn(orderId: string, work: Work): Promise<boolean> {
  const { client, agentId, signer } = work;
  let order = await client.orders.get(orderId);
  if (order.agent_id !== agentId) return true;
  if (order.status === "delivered" && signer && order.delivery_record === "none") {
    // The next listing checks it again, until the record is on the chain.
    await record(await readOrder(order, client), order, signer, work);
    return false;
  }
  if (order.status !== "funded" && order.status !== "started") return true;
  const agreed = await readOrder(order, client);
  const handler = work.handlers[String(agreed.agreement.service_slug)];
  if (!handler) throw new TypeError(`No handler for the service ${agreed.agreement.service_slug}.`);
  await work.check(agreed);
  const deliverBy = new Date(order.delivery_deadline ?? 0);
  if (deliverBy.getTime() <= Date.now() || work.signal.aborted) return true;
  const begun = order.status === "started";
  if (!begun) order = await client.orders.start(orderId);
  const stage = order.stages?.find(({ state }) => state === "open") ?? null;
  const { changes, deliveries } = await readTrail(orderId, client, stage);
  const context: HandlerContext = {
    order,
    agreement: agreed.agreement,
    deliverBy,
    signal: endingAt(deliverBy),
    attempt: 1,
    // A later stage begins in a started order.
    isRetry: begun && changes === null && (stage?.number ?? 1) === 1,
    changes,
    stage,
    lastError: null,
  };
  const delivered = await attempt(handler, context, { ...work, agreed, deliveries });
  if (!delivered) return true;
  work.onDelivered();
  if (signer) await record(agreed, delivered, signer, work);
  return false;
}

/** Calls the handler until its output is accepted; null after the last attempt. */
async function attempt(
  handler: Handler<unknown>,
  context: HandlerContext,
  work: Work & { agreed: AgreedOrder; deliveries: number },
): Promise<Order | null> {
  const { client, signer, signal, agreed, deliveries } = work;
  const { order } = context;
  for (; ; context.attempt += 1) {
    try {
      const result = await handler(order.input_payload, context);
      const { output: given, units } = result instanceof MeteredOutput ? result : { output: result };
      const output = given as Record<string, unknown> | null;
      // An equal output is the same delivery, except after a revision request.
      const delivery = { output_payload: output, ...(units === undefined ? {} : { units }) };
      const named = digestOf(units === undefined ? output : delivery).slice(2, 34);
      const idempotencyKey = `deliver-${order.id}-${deliveries + 1}-${named}`;
      const delivered = await retryTemporary(signal, () =>
        client.orders.deliver(order.id, delivery, { idempotencyKey }),
      );
      if (units !== undefined && delivered.units !== units) {
        throw new UntrustedOrderError(order.id, "order.units", units, delivered.units);
      }
      return delivered;
    } catch (error) {
      context.lastError = error;
      if (error instanceof DeclinedError && signer) return await refund(agreed, signer, client);
      work.onError(error, context);
      // The order was refunded or disputed meanwhile.
      if (error instanceof ApiError && error.code === "invalid_state") return null;
      if (context.attempt >= work.attempts || context.signal.aborted || signal.aborted) return null;
      await pause(1_000 * 2 ** (context.attempt - 1), signal).catch(() => {});
    }
  }
}

/** Retries temporary errors without a limit, because the work is done and only has to be submitted. */
async function retryTemporary<T>(signal: AbortSignal, send: () => PromiseLike<T>): Promise<T> {
  for (let waitMs = 1_000; ; waitMs = Math.min(2 * waitMs, 30_000)) {
    try {
      return await send();
    } catch (error) {
      if (!isTemporary(error) || signal.aborted) throw error;
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

/** Reads the number of deliveries and the requested changes; of an order in stages, the changes of one stage. */
async function readTrail(orderId: string, client: BaseClient, stage: OrderStage | null) {
  let changes: string | null = null;
  let deliveries = 0;
  for await (const { type, data } of client.orders.listTrail(orderId)) {
    if (type === "order.delivered") deliveries += 1;
    const isOfStage = stage === null || data.stage === stage.number;
    if (type === "order.revision_requested" && isOfStage) changes = String(data.reason);
  }
  return { changes, deliveries };
}

/**
 * Signs the delivery record, which the service sends to the chain. It names only this order's escrow and this output.
 */
async function record(
  agreed: AgreedOrder,
  order: Order,
  signer: Signer,
  { client, onError }: Pick<Work, "client" | "onError">,
): Promise<void> {
  try {
    const shown = await client.orders.getDeliveryRecordToSign(order.id);
    const data = deliveryRecordOf(agreed, order, shown.typed_data);
    await client.orders.recordDelivery(order.id, { signature: await signer.sign(data) });
    const failure = relayFailure(order.id, "delivery record", shown);
    if (failure) onError(failure, null);
  } catch (error) {
    // The delivery is recorded already, or the order has ended.
    if (!(error instanceof ApiError && (error.code === "invalid_state" || error.code === "conflict")))
      throw error;
  }
}

/** Refunds the buyer by a signature. */
async function refund(agreed: AgreedOrder, wallet: Signer, client: BaseClient): Promise<null> {
  const signer = await wallet.on(agreed.chainId);
  const deadline = signatureDeadline(await nowOf(signer));
  const signature = await signer.sign(signedActData("refund", agreed, { deadline }));
  await client.orders.refund(agreed.orderId, { signature, deadline: String(deadline) });
  return null;
}

/** Returns a signal that aborts at a time. A time beyond the timer limit of 2^31 ms never aborts. */
function endingAt(time: Date): AbortSignal {
  const ms = time.getTime() - Date.now();
  return ms < 2 ** 31 ? AbortSignal.timeout(Math.max(0, ms)) : new AbortController().signal;
}
