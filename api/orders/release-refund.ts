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
import { deadlineSchema, presentRelay, relayAnswer, signatureSchema, toSignSchema } from "./relay-answer.ts";

const signedSchema = z
  .strictObject({ signature: signatureSchema, deadline: deadlineSchema })
  .openapi("SignedActRequest");

type Act = "release" | "refund";

/** The operation ids and summaries of both acts. */
const described = {
  release: {
    operations: ["readReleaseToSign", "releaseOrder"],
    summaries: ["Read the typed data that releases the money", "Release the money to the provider"],
  },
  refund: {
    operations: ["readRefundToSign", "refundOrder"],
    summaries: ["Read the typed data that refunds the money", "Refund the money to the buyer"],
  },
} as const;

/** Adds the routes of release and refund: the party signs, the relayer sends and pays the gas. */
export function addOrderActs(app: App, context: Context): void {
  addAct(app, context, "release");
  addAct(app, context, "refund");
}

function addAct(app: App, context: Context, act: Act): void {
  const { db } = context;
  const [readId, sendId] = described[act].operations;
  const [readSummary, sendSummary] = described[act].summaries;

  app.openapi(
    createRoute({
      method: "get",
      path: `/orders/{id}/${act}`,
      operationId: readId,
      tags: ["orders"],
      summary: readSummary,
      ...accessRule(context, "orders:read"),
      request: { params: orderParams },
      responses: {
        200: jsonResponse("Typed data, valid for a day", toSignSchema),
        ...errorResponses("invalid_state"),
      },
    }),
    async (c) => {
      const own = await readAsSigner(db, callerOf(c), act, c.req.valid("param").id);
      const typed_data = await readTypedData(context, act, own, (deadline) => ({ deadline }));
      const relay = await readActRelay(db, act, own);
      return c.json({ typed_data, relay: relay && presentRelay(relay) }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: `/orders/{id}/${act}`,
      operationId: sendId,
      tags: ["orders"],
      summary: sendSummary,
      description:
        "Takes the party's signature of the typed data, with its `deadline`, and sends it to the contract. The service pays the gas. A repeated request gets the same relay. The trail shows the result.",
      ...accessRule(context, "orders:write"),
      request: { params: orderParams, body: jsonBody(signedSchema) },
      responses: {
        202: jsonResponse("The relay", relayAnswer),
        ...errorResponses("invalid_state", "rate_limited"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const own = await readAsSigner(db, caller, act, c.req.valid("param").id);
      const { signature, deadline } = c.req.valid("json");
      const relay = await sendSignedAct(context, caller, {
        name: act,
        own,
        content: { deadline },
        signature,
      });
      return c.json({ relay: presentRelay(relay) }, 202);
    },
  );
}
