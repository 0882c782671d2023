import { createRoute, z } from "@hono/zod-openapi";
import { asc, eq, inArray } from "../../db/drizzle.ts";
import { execution, executionAttempt } from "../../db/schema.ts";
import { readOwnOrder, requireProvider } from "../../trade/orders/order-access.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { idField, orNull, timeField } from "../http/fields.ts";
import { accessRule, errorResponses, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { orderParams } from "./order.ts";

const attemptSchema = z
  .object({
    number: z.int().min(1),
    started_at: timeField,
    duration_ms: z.int(),
    status_code: z.int().nullable(),
    error: z.string().nullable().openapi({ description: "null after a success", example: "invalid_json" }),
    message: z.string().nullable().openapi({ description: "an explanation for you" }),
    response_body: z
      .string()
      .nullable()
      .openapi({ description: "the first 1024 characters of an unusable answer" }),
  })
  .openapi("ExecutionAttempt");

const executionSchema = z
  .object({
    id: idField("exe"),
    is_revision: z
      .boolean()
      .openapi({ description: "whether it executes a revision that the buyer requested" }),
    status: z.enum(["pending", "delivered", "accepted", "failed", "cancelled"]).openapi("ExecutionStatus", {
      description:
        "`accepted`: the endpoint answered 202, so you deliver by yourself; `cancelled`: the order does not need an execution",
    }),
    reason: z
      .string()
      .nullable()
      .openapi({ description: "why the execution failed or was cancelled", example: "order_refunded" }),
    next_attempt_at: orNull(timeField).openapi({ description: "set while the execution is pending" }),
    created_at: timeField,
    finished_at: timeField.nullable(),
    attempts: z
      .array(attemptSchema)
      .openapi({ description: "the attempts of the last 30 days, oldest first" }),
  })
  .openapi("Execution");

/** Adds the route of an order's executions at the provider's endpoint. Only the provider may read them. */
export function addExecutions(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/orders/{id}/executions",
      operationId: "listExecutions",
      tags: ["orders"],
      summary: "List the executions of an order at your endpoint",
      description: "At most two: one of the order, and one of the revision that its buyer requested.",
      ...accessRule(context, "orders:read"),
      request: { params: orderParams },
      responses: {
        200: jsonResponse(
          "The executions",
          z.object({ items: z.array(executionSchema) }).openapi("Executions"),
        ),
        ...errorResponses("invalid_state"),
      },
    }),
    async (c) => {
      const { row, role } = await readOwnOrder(db, callerOf(c), c.req.valid("param").id);
      requireProvider(role, "see what its endpoint answered");
      const result = await db
        .select()
        .from(execution)
        .where(eq(execution.orderId, row.id))
        .orderBy(asc(execution.isRevision));
      const ids = result.map(({ id }) => id);
      const attempts = await db
        .select()
        .from(executionAttempt)
        .where(inArray(executionAttempt.executionId, ids))
        .orderBy(asc(executionAttempt.number));
      const items = result.map((item) => ({
        id: item.id,
        is_revision: item.isRevision,
        status: item.status,
        reason: item.reason,
        next_attempt_at: item.status === "pending" ? item.nextAttemptAt.toISOString() : null,
        created_at: item.createdAt.toISOString(),
        finished_at: item.finishedAt?.toISOString() ?? null,
        attempts: attempts
          .filter(({ executionId }) => executionId === item.id)
          .map(({ executionId: _, startedAt, durationMs, statusCode, responseBody, ...attempt }) => ({
            number: attempt.number,
            started_at: startedAt.toISOString(),
            duration_ms: durationMs,
            status_code: statusCode,
            error: attempt.error,
            message: attempt.message,
            response_body: responseBody,
          })),
      }));
      return c.json({ items }, 200);
    },
  );
}
