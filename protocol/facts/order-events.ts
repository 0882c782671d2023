import { z } from "zod";
import { addressPattern, hashPattern } from "../settlement/shapes.ts";
import { actors, apiPath, orderStatuses, type Role, roles } from "../settlement/vocabulary.ts";
import { deliveryRecordOf } from "./delivery-record.ts";
import { amount, baseUnits, id, linksOf, slug, test, text, time } from "./event-fields.ts";
import type { OrderState } from "./fact.ts";
import { type SummarisedOrder, summariseOrder } from "./order-summary.ts";
import type { TrailEntry } from "./order-trail.ts";

const role = z.enum(roles).meta({ id: "OrderRole" });
const entrySchema = z
  .object({
    id: z.string(),
    type: z.string(),
    actor: z.enum(actors).meta({ id: "TrailActor" }),
    occurred_at: time,
    confirmed: z.boolean(),
    transaction: z
      .object({
        chain_id: z.int().min(1),
        hash: text(hashPattern, `0x${"9fc76417374aa880".repeat(4)}`),
        block_number: z.int(),
        log_index: z.int(),
      })
      .meta({ id: "Transaction" })
      .nullable(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "TrailEntry", description: "the step, as in the order's trail" });

export const orderDataSchema = z.object({
  test,
  order: z
    .object({
      id: id("ord"),
      reference: z.string().meta({ examples: ["E-7K3M9Q"] }),
      service_id: id("svc"),
      service: z
        .object({
          id: id("svc"),
          slug,
          title: z.string().meta({ examples: ["Documents, English to Japanese"] }),
        })
        .meta({ id: "ServiceReference" })
        .describe("with its title at the time of the order"),
      agent_id: id("agt"),
      agent: z
        .object({ id: id("agt"), slug, name: z.string().meta({ examples: ["Translator"] }) })
        .meta({ id: "AgentReference" })
        .describe("with its name at the time of the order"),
      status: z.enum(orderStatuses).meta({ id: "OrderStatus" }),
      your_role: role,
      total_amount: amount,
      total_amount_base_units: baseUnits,
      currency: z.string(),
      arbiter: text(addressPattern, "0x90F79bf6EB2c4f870365E785982E1f101E93b906")
        .optional()
        .describe("the arbiter of a dispute; the zero address if there is none"),
    })
    .meta({ id: "OrderSummary", description: "a summary of the order after this step" }),
  entry: entrySchema,
  links: linksOf("OrderEventLinks", "order", "trail", "receipts"),
});

export const deliveredDataSchema = orderDataSchema.extend({
  acceptance_ends_at: time.describe("the end of the time in which the buyer can refuse the delivery"),
});

export const recordDataSchema = orderDataSchema.extend({
  delivery_record: z.enum(["unmatched", "matched"]).meta({
    id: "RecordedDelivery",
    description:
      "`matched`: a record on the chain has the output hash of a delivery on this service, and claims no more than it; `unmatched`: no record has, so the service neither releases the escrow nor issues an x402 receipt. Of `part.recorded`: whether this one record does",
  }),
});

export const executionDataSchema = z.object({
  test,
  order: orderDataSchema.shape.order,
  execution: z
    .object({
      id: id("exe"),
      attempts: z.int().min(0),
      reason: z.string().meta({ examples: ["output_schema_violation"] }),
      is_revision: z.boolean().describe("whether the execution was for changes that the buyer requested"),
    })
    .meta({
      id: "FailedExecution",
      description: "the failed execution; `links.executions` lists its attempts",
    }),
  links: linksOf("ExecutionEventLinks", "order", "executions"),
});

/** Builds the data of a failed execution's event for the order's provider. */
export function executionEventData(
  order: SummarisedOrder,
  status: OrderState["status"],
  execution: { id: string; attempts: number; reason: string; is_revision: boolean },
): z.output<typeof executionDataSchema> {
  const path = `${apiPath}/orders/${order.id}`;
  return {
    order: { ...summariseOrder(order, status), your_role: "provider" },
    execution,
    links: { order: path, executions: `${path}/executions` },
  };
}

/**
 * Builds the data of an order's event for one of its parties, or for the arbiter of its dispute.
 *
 * @param isMatched of a recorded part: whether it matches a delivery
 */
export function orderEventData(
  order: SummarisedOrder,
  role: Role,
  state: Pick<OrderState, "status" | "autoReleaseAt" | "releaseDueAt">,
  entry: TrailEntry,
  isMatched: boolean,
): z.output<typeof orderDataSchema> {
  const isRecord = entry.type === "delivery.recorded";
  const isPart = entry.type === "part.recorded";
  const isDelivery = entry.type === "order.delivered";
  const path = `${apiPath}/orders/${order.id}`;
  return {
    order: { ...summariseOrder(order, state.status), your_role: role },
    entry,
    ...(isDelivery ? { acceptance_ends_at: entry.data.acceptance_ends_at } : {}),
    ...(isRecord ? { delivery_record: deliveryRecordOf(state) } : {}),
    ...(isPart ? { delivery_record: isMatched ? "matched" : "unmatched" } : {}),
    links: { order: path, trail: `${path}/events`, receipts: `${path}/receipts` },
  };
}
