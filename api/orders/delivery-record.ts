import { createRoute, z } from "@hono/zod-openapi";
import {
  readActRelay,
  readAsSigner,
  readTypedData,
  sendSignedAct,
} from "../../trade/orders/send-signed-act.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { orderParams } from "./order.ts";
import { presentRelay, relayAnswer, signatureSchema, toSignSchema } from "./relay-answer.ts";

/** Adds the routes that record a delivery on the chain, which starts the acceptance window. The provider signs, the relayer sends. */
export function addDeliveryRecord(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}/delivery-record",
      operationId: "readDeliveryRecord",
      tags: ["orders"],
      summary: "Read the typed data that records the delivery on the chain",
      ...accessRule(context, "orders:read"),
      request: { params: orderParams },
      responses: {
        200: jsonResponse("Typed data for the payout wallet", toSignSchema),
        ...errorResponses("invalid_state"),
      },
    }),
    async (c) => {
      const own = await readAsSigner(db, callerOf(c), "deliveryRecord", c.req.valid("param").id);
      const typed_data = await readTypedData(context, "deliveryRecord", own, () => ({}));
      const relay = await readActRelay(db, "deliveryRecord", own);
      return c.json({ typed_data, relay: relay && presentRelay(relay) }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/orders/{id}/delivery-record",
      operationId: "recordDelivery",
      tags: ["orders"],
      summary: "Record the delivery on the chain",
      description:
        "Takes the provider's signature of the typed data and sends it to the contract. The service pays the gas. A repeated request gets the same relay. `delivery.recorded` in the trail confirms the record.",
      ...accessRule(context, "orders:write"),
      request: {
        params: orderParams,
        body: jsonBody(z.strictObject({ signature: signatureSchema }).openapi("DeliveryRecordRequest")),
      },
      responses: {
        202: jsonResponse("The relay", relayAnswer),
        ...errorResponses("invalid_state", "conflict", "rate_limited"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const own = await readAsSigner(db, caller, "deliveryRecord", c.req.valid("param").id);
      const { signature } = c.req.valid("json");
      const record = { name: "deliveryRecord" as const, own, content: {}, signature };
      return c.json({ relay: presentRelay(await sendSignedAct(context, caller, record)) }, 202);
    },
  );
}
