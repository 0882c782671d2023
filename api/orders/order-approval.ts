import { createRoute, z } from "@hono/zod-openapi";
import { inTransaction } from "../../db/transaction.ts";
import { findCorrespondent } from "../../trade/messages/read-state.ts";
import { approvalDecisions, decideApproval } from "../../trade/orders/approval-decision.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import { lockOrganisation, mayManage, readRoleOf } from "../organisations/membership.ts";
import type { App } from "../variables.ts";
import { orderParams, orderSchema, presentOrder } from "./order.ts";

const approvalRequest = z
  .strictObject({ decision: z.enum(approvalDecisions).openapi("ApprovalDecision") })
  .openapi("ApprovalRequest");

/** Adds the route that approves an order above its key's limit. Only a person can approve. */
export function addOrderApproval(app: App, context: Context): void {
  app.openapi(
    createRoute({
      method: "post",
      path: "/orders/{id}/approval",
      operationId: "decideApproval",
      tags: ["orders"],
      summary: "Approve or refuse an order",
      description:
        "Needs a session of an owner or admin of the buyer. A decision is final. Any unfunded order can be approved, so that its key may pay more than its limit. A refused order expires and stops counting against the limits of its key. `GET /orders?approval=pending` lists the orders that wait.",
      ...accessRule(context, "session"),
      request: { params: orderParams, body: jsonBody(approvalRequest) },
      responses: { 200: jsonResponse("The order", orderSchema), ...errorResponses("invalid_state") },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { decision } = c.req.valid("json");
      const row = await inTransaction(context.db, async (tx) => {
        // The lock makes a removal of the member come before or after this decision.
        await lockOrganisation(tx, caller.accountId);
        if (!mayManage(await readRoleOf(tx, caller.accountId, caller.memberAccountId), null)) {
          throw new ApiError("insufficient_role", "Only an owner or admin may decide for this organisation.");
        }
        const decidedBy = caller.memberAccountId;
        return decideApproval(tx, caller, c.req.valid("param").id, { decision, decidedBy });
      });
      const own = await findCorrespondent(context.db, row.id, caller.accountId);
      return c.json(presentOrder(row, null, caller, own?.unread ?? 0), 200);
    },
  );
}
