import { createRoute, z } from "@hono/zod-openapi";
import { inTransaction } from "../../db/transaction.ts";
import {
  type Erasure,
  erasureDays,
  readErasure,
  requestErasure,
  takeBackErasure,
} from "../../trade/privacy/erasure.ts";
import { type Obstacles, readObstacles } from "../../trade/privacy/erasure-obstacles.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { recordAudit } from "../http/audit-log.ts";
import { idField, timeField } from "../http/fields.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";

const erasureSchema = z
  .object({
    status: z.enum(["waiting", "running", "done"]).openapi("ErasureStatus"),
    requested_at: timeField,
    due_at: timeField.openapi({ description: "until this time the request can be taken back" }),
    finished_at: timeField.nullable(),
    blocked_by: z
      .object({ open_orders: z.int(), disputes: z.int(), organisations: z.int() })
      .openapi("ErasureObstacles")
      .openapi({
        description:
          "what a waiting erasure waits for beyond `due_at`: open orders, disputes to decide, and memberships elsewhere",
      }),
  })
  .openapi("Erasure");

/** Adds the erasure of an account. docs/privacy.md describes it. */
export function addErasure(api: App, context: Context): void {
  const { db } = context;

  api.openapi(
    createRoute({
      method: "post",
      path: "/me/erasure",
      operationId: "requestErasure",
      tags: ["identity"],
      summary: "Request the erasure of your account's words and files",
      description: `A worker begins after ${erasureDays} days. Until then DELETE takes the request back. The account buys and sells nothing meanwhile.`,
      ...accessRule(context, "self"),
      request: {
        body: jsonBody(
          z
            .strictObject({ confirm: idField("acc").openapi({ description: "the id of your account" }) })
            .openapi("ErasureRequest"),
        ),
      },
      responses: {
        202: jsonResponse("The request", erasureSchema),
        ...errorResponses("invalid_state", "conflict"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const row = await inTransaction(db, async (tx) => {
        const requested = await requestErasure(tx, caller, c.req.valid("json").confirm);
        await recordAudit(tx, c, { action: "data.erasure_requested", target: caller.accountId });
        return requested;
      });
      return c.json(present(row, noObstacles), 202);
    },
  );

  api.openapi(
    createRoute({
      method: "get",
      path: "/me/erasure",
      operationId: "readErasure",
      tags: ["identity"],
      summary: "Read the state of the newest erasure of your account",
      ...accessRule(context, "self"),
      responses: { 200: jsonResponse("The erasure", erasureSchema), ...errorResponses("not_found") },
    }),
    async (c) => {
      const { accountId } = callerOf(c);
      const row = await readErasure(db, accountId);
      if (!row) throw new ApiError("not_found", "No erasure of your account was requested.");
      const obstacles = row.status === "waiting" ? await readObstacles(db, accountId) : noObstacles;
      return c.json(present(row, obstacles), 200);
    },
  );

  api.openapi(
    createRoute({
      method: "delete",
      path: "/me/erasure",
      operationId: "takeBackErasure",
      tags: ["identity"],
      summary: "Take the request of an erasure back",
      ...accessRule(context, "self"),
      responses: {
        200: jsonResponse(
          "The request is taken back",
          z.object({ taken_back: z.literal(true) }).openapi("ErasureTakenBack"),
        ),
        ...errorResponses("not_found", "invalid_state"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      await inTransaction(db, async (tx) => {
        await takeBackErasure(tx, caller);
        await recordAudit(tx, c, { action: "data.erasure_taken_back", target: caller.accountId });
      });
      return c.json({ taken_back: true as const }, 200);
    },
  );
}

const noObstacles: Obstacles = { openOrders: 0, disputes: 0, organisations: 0 };

function present({ status, requestedAt, dueAt, finishedAt }: Erasure, obstacles: Obstacles) {
  return {
    status,
    requested_at: requestedAt.toISOString(),
    due_at: dueAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
    blocked_by: {
      open_orders: obstacles.openOrders,
      disputes: obstacles.disputes,
      organisations: obstacles.organisations,
    },
  };
}
