import { createRoute, z } from "@hono/zod-openapi";
import { decideDispute, readDecision } from "../../trade/disputes/dispute-decision.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { amountInput } from "../http/fields.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import { callSchema, orderParams, typedDataSchema } from "../orders/order.ts";
import { deadlineSchema, presentRelay, relayAnswer, signatureSchema } from "../orders/relay-answer.ts";
import type { App } from "../variables.ts";
import { disputeText, textHashSchema } from "./dispute-statements.ts";

const providerAmountSchema = amountInput.openapi({
  description: "the provider's share, a decimal; the rest of the escrow goes back to the buyer",
  example: "1.500000",
});

const decisionRequest = z
  .strictObject({
    provider_amount: providerAmountSchema,
    ruling: disputeText.optional().openapi({ description: "the text of the ruling, stored as a statement" }),
    ruling_hash: textHashSchema.optional(),
    deadline: deadlineSchema,
    signature: signatureSchema,
  })
  .openapi("DecisionRequest", {
    example: {
      provider_amount: "2",
      ruling: "Four fifths were done.",
      deadline: "1795426200",
      signature: `0x${"1c".repeat(65)}`,
    },
  });

/** Adds the routes of the arbiter's decision: the arbiter's wallet signs it, and the relayer sends it. */
export function addDisputeDecision(app: App, context: Context): void {
  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}/dispute/decision",
      operationId: "readDecisionToSign",
      tags: ["disputes"],
      summary: "Read the typed data and the call that decide a dispute",
      ...accessRule(context, "orders:read"),
      request: {
        params: orderParams,
        query: z.object({ provider_amount: providerAmountSchema, ruling_hash: textHashSchema.optional() }),
      },
      responses: {
        200: jsonResponse(
          "Typed data, valid for a day, and the equivalent call for the arbiter's own wallet",
          z.object({ typed_data: typedDataSchema, call: callSchema }).openapi("DecisionToSign"),
        ),
        ...errorResponses("invalid_state"),
      },
    }),
    async (c) => {
      const { provider_amount: providerAmount, ruling_hash: rulingHash } = c.req.valid("query");
      const decision = { providerAmount, rulingHash };
      const { typedData, call } = await readDecision(context, callerOf(c), c.req.valid("param").id, decision);
      return c.json({ typed_data: typedData, call }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/orders/{id}/dispute/decision",
      operationId: "decideDispute",
      tags: ["disputes"],
      summary: "Decide a dispute",
      description:
        "Takes the arbiter's signature of the typed data and sends it to the contract. The service pays the gas. A repeated request gets the same relay. `order.dispute_decided` in the trail confirms the decision. Anyone may settle it once the appeal window is over.",
      ...accessRule(context, "orders:write"),
      request: { params: orderParams, body: jsonBody(decisionRequest) },
      responses: {
        202: jsonResponse("The relay", relayAnswer),
        ...errorResponses("invalid_state", "conflict", "rate_limited"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { provider_amount, ruling, ruling_hash, deadline, signature } = c.req.valid("json");
      const decision = {
        providerAmount: provider_amount,
        ruling,
        rulingHash: ruling_hash,
        deadline,
        signature,
      };
      const relay = await decideDispute(context, caller, c.req.valid("param").id, decision);
      return c.json({ relay: presentRelay(relay) }, 202);
    },
  );
}
