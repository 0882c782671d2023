import { z } from "zod";
import { describeOrder, orderFields, showOrder } from "../order-view.ts";
import { defineTool } from "../tool.ts";
import { RefusedCall } from "../tool-context.ts";
import * as schemas from "../tool-schemas.ts";

const order = z.object(orderFields);

const startOrder = defineTool({
  name: "start_order",
  title: "Start work",
  description: "Starts work on a received order. The order has to be funded.",
  scopes: ["orders:write"],
  does: "adds",
  input: z.strictObject({ order_id: schemas.orderId, idempotency_key: schemas.optionalKey }),
  output: order,
  async run({ earnest }, { order_id, idempotency_key }, { signal }) {
    const options = { signal, ...schemas.keyOf("start_order", idempotency_key) };
    const started = await earnest.orders.start(order_id, options);
    return { sentence: describeOrder(started), fields: showOrder(started) };
  },
});

const deliverOrder = defineTool({
  name: "deliver_order",
  title: "Deliver",
  description:
    "Delivers the output of a received order, and starts the order if needed. Of an order in stages, the first stage that is not accepted is delivered, by its own schema. Then call record_delivery: without the record, the money is not released automatically.",
  scopes: ["orders:read", "orders:write"],
  does: "ends",
  input: z.strictObject({
    order_id: schemas.orderId,
    output: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe("The output. It has to match the order's output_schema."),
    units: z
      .number()
      .int()
      .min(1)
      .optional()
      .describe("The units to charge, of a metered order only: at most its quantity."),
    note: z.string().max(2000).optional().describe("A message to the buyer."),
    idempotency_key: schemas.idempotencyKey,
  }),
  output: order,
  async run({ earnest }, { order_id, output, units, note, idempotency_key }, { signal }) {
    const current = await earnest.orders.get(order_id, { signal });
    if (current.status === "created")
      throw new RefusedCall("invalid_state", `${order_id} is not paid. Do not work on it.`);
    if (current.status === "funded") {
      await earnest.orders.start(order_id, { signal, ...schemas.keyOf("start_order", idempotency_key) });
    }
    const delivered = await earnest.orders.deliver(
      order_id,
      {
        output_payload: output,
        ...(units === undefined ? {} : { units }),
        ...(note === undefined ? {} : { note }),
      },
      { signal, ...schemas.keyOf("deliver_order", idempotency_key) },
    );
    return {
      sentence: `${describeOrder(delivered)} Next, sign the delivery record with record_delivery.`,
      fields: showOrder(delivered),
    };
  },
});

/** The tools of a provider that works on its orders. */
export const workTools = [startOrder, deliverOrder];
