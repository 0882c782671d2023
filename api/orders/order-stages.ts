import { createRoute, z } from "@hono/zod-openapi";
import { deriveId } from "../../db/derived-ids.ts";
import { asc, eq } from "../../db/drizzle.ts";
import { readFacts } from "../../db/ledger.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { stageOutput } from "../../db/schema.ts";
import { effectiveFacts } from "../../protocol/facts/lifecycle.ts";
import { paymentOfStage } from "../../protocol/facts/stage-facts.ts";
import { stageStates, stateOfStage } from "../../protocol/settlement/stages.ts";
import { readSharedOrder } from "../../trade/orders/order-access.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { idField, nullableJsonObjectField, shownHash, timeField } from "../http/fields.ts";
import { accessRule, jsonResponse } from "../http/openapi.ts";
import { presentStage, quotedStageSchema } from "../services/stage-fields.ts";
import type { App } from "../variables.ts";

export const orderStageSchema = quotedStageSchema
  .omit({ output_schema: true })
  .extend({
    due_at: timeField.nullable().openapi({
      description: "the agreed hours from the funding. Only the delivery deadline of the order moves money",
    }),
    state: z.enum(stageStates).openapi("StageState", {
      description:
        "`accepted`: the provider has its amount; `disputed`: the dispute of the order decides about it; `returned`: the order ended, and the amount went back at least in part",
    }),
  })
  .openapi("OrderStage");

const deliveredStageSchema = orderStageSchema
  .extend({
    output_schema: nullableJsonObjectField,
    output_payload: nullableJsonObjectField.openapi({ description: "the last output of this stage" }),
    output_hash: shownHash.nullable(),
    delivered_at: timeField.nullable(),
    receipt_id: idField("rcp")
      .nullable()
      .openapi({ description: "the receipt of the payment that covered this stage" }),
  })
  .openapi("DeliveredStage");

type InStages = Pick<
  OrderRow,
  "stages" | "status" | "acceptedStages" | "deliveredStage" | "fundedAt" | "tokenDecimals"
>;

/** Presents the stages of an order; null for an order without stages. */
export function presentStages(row: InStages): z.output<typeof orderStageSchema>[] | null {
  if (!row.stages) return null;
  const order = { ...row, acceptedStages: row.acceptedStages ?? 0 };
  let hours = 0;
  return row.stages.map((stage, index) => {
    hours += stage.hours;
    const { output_schema: _, ...shown } = presentStage(stage, index, row.tokenDecimals);
    return {
      ...shown,
      due_at: row.fundedAt && new Date(row.fundedAt.getTime() + hours * 3_600_000).toISOString(),
      state: stateOfStage(index + 1, order),
    };
  });
}

/** Adds the route of an order's stages with their outputs. */
export function addOrderStages(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}/stages",
      operationId: "listOrderStages",
      tags: ["orders"],
      summary: "List the stages of an order with their outputs",
      description: "The list is empty for an order without stages.",
      ...accessRule(context, "orders:read"),
      request: { params: z.object({ id: idField("ord") }) },
      responses: {
        200: jsonResponse(
          "The stages, in order",
          z.object({ items: z.array(deliveredStageSchema) }).openapi("OrderStages"),
        ),
      },
    }),
    async (c) => {
      const { row } = await readSharedOrder(db, callerOf(c), c.req.valid("param").id);
      const shown = presentStages(row);
      if (!shown) return c.json({ items: [] }, 200);
      const [outputs, facts] = await Promise.all([
        db.select().from(stageOutput).where(eq(stageOutput.orderId, row.id)).orderBy(asc(stageOutput.stage)),
        readFacts(db, row.id),
      ]);
      const effective = effectiveFacts(facts);
      const items = shown.map((stage) => {
        const last = outputs.find((one) => one.stage === stage.number);
        const payment = paymentOfStage(effective, stage.number);
        return {
          ...stage,
          output_schema: row.stages?.[stage.number - 1]?.outputSchema ?? null,
          output_payload: last?.output ?? null,
          output_hash: last?.outputHash ?? null,
          delivered_at: last?.deliveredAt.toISOString() ?? null,
          receipt_id: payment && deriveId("rcp", payment.id, payment.id),
        };
      });
      return c.json({ items }, 200);
    },
  );
}
