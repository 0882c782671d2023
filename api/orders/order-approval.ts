import { createRoute, z } from "@hono/zod-openapi";
import { inTransaction } from "../../db/transaction.ts";
import { approvalDecisions, decideApproval } from "../../trade/spending/spend-approval.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { answer, guarded, jsonBody, refusals } from "../http/openapi.ts";
import { lockOrganisation, mayManage, readRoleOf } from "../organisations/membership.ts";
import type { App } from "../variables.ts";
import { orderParams, orderSchema, presentOrder } from "./order.ts";

const approvalRequest = z
  .strictObject({ decision: z.enum(approvalDecisions).openapi("ApprovalDecision") })
  .openapi("ApprovalRequest");

/** The approval of an order that its key may not pay by itself; a person's alone. */
export function addOrderApproval(app: App, context: Context): void {
  app.openapi(
    createRoute({
      method: "post",
      path: "/orders/{id}/approval",
      operationId: "decideApproval",
      tags: ["orders"],
      summary: "Approve or refuse an order that waits for you",
      description:
        "By a session of an owner or admin of the buyer; a decision stands. An unfunded order that waits for nobody can be approved too, so that a key pays it that may not by itself. A refused one counts no more against its key, and expires. `GET /orders?approval=pending` lists those that wait.",
      ...guarded(context, "session"),
      request: { params: orderParams, body: jsonBody(approvalRequest) },
      responses: { 200: answer("The order", orderSchema), ...refusals("invalid_state") },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { decision } = c.req.valid("json");
      const row = await inTransaction(context.db, async (tx) => {
        // Whoever is being removed decides nothing more.
        await lockOrganisation(tx, caller.accountId);
        if (!mayManage(await readRoleOf(tx, caller.accountId, caller.memberAccountId), null)) {
          throw new ApiError("insufficient_role", "You decide for this organisation no longer.");
        }
        const decidedBy = caller.memberAccountId;
        return decideApproval(tx, caller, c.req.valid("param").id, { decision, decidedBy });
      });
      return c.json(presentOrder(row, null, caller), 200);
    },
  );
}
