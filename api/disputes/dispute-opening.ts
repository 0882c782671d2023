import { createRoute, z } from "@hono/zod-openapi";
import { openDispute } from "../../trade/disputes/dispute-opening.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import { orderParams } from "../orders/order.ts";
import { deadlineSchema, presentRelay, relayAnswer, signatureSchema } from "../orders/relay-answer.ts";
import type { App } from "../variables.ts";
import { disputeText, textHashSchema } from "./dispute-statements.ts";

const openingRequest = z
  .strictObject({
    reason: disputeText
      .optional()
      .openapi({ description: "the reason, stored as a statement of the dispute" }),
    reason_hash: textHashSchema.optional(),
    deadline: deadlineSchema,
    signature: signatureSchema,
  })
  .openapi("DisputeRequest", {
    example: {
      reason: "Half of the text is not translated.",
      deadline: "1795426200",
      signature: `0x${"1c".repeat(65)}`,
    },
  });

/** Adds the route that opens a dispute: the party signs, the relayer sends and pays the gas. */
export function addDisputeOpening(app: App, context: Context): void {
  app.openapi(
    createRoute({
      method: "post",
      path: "/orders/{id}/dispute",
      operationId: "disputeOrder",
      tags: ["disputes"],
      summary: "Open a dispute",
      description:
        "Takes the party's signature of the typed data, with its `deadline`, and sends it to the contract. The service pays the gas. A repeated request gets the same relay. The trail shows the result.",
      ...accessRule(context, "orders:write"),
      request: { params: orderParams, body: jsonBody(openingRequest) },
      responses: {
        202: jsonResponse("The relay", relayAnswer),
        ...errorResponses("invalid_state", "conflict", "rate_limited"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { reason, reason_hash: reasonHash, deadline, signature } = c.req.valid("json");
      const dispute = { reason, reasonHash, deadline, signature };
      const relay = await openDispute(context, caller, c.req.valid("param").id, dispute);
      return c.json({ relay: presentRelay(relay) }, 202);
    },
  );
}
