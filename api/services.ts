import { createRoute, z } from "@hono/zod-openapi";
import { and, eq, sql } from "drizzle-orm";
import pg from "pg";
import { typeid } from "typeid-js";
import { agent, service } from "../db/schema.ts";
import { type Caller, callerOf } from "./access.ts";
import { agentParams, lockOwnAgent, readVisibleAgent } from "./agent.ts";
import type { App, Context } from "./context.ts";
import { ApiError } from "./errors.ts";
import { answer, guarded, jsonBody, openToAll, refusals } from "./openapi.ts";
import { afterCursor, newestFirst, orderBy, pageOf, pageQuery, positionOf, takePage } from "./page.ts";
import {
  checkQuantities,
  listedServiceSelection,
  lockOwnService,
  presentListedService,
  presentService,
  pricingToken,
  readService,
  readVisibleService,
  serviceChange,
  serviceColumns,
  servicePageSchema,
  serviceParams,
  serviceRequest,
  serviceSchema,
} from "./service.ts";

type ServiceStatus = (typeof service.$inferSelect)["status"];
type OwnService = Awaited<ReturnType<typeof lockOwnService>>;

/** SQLSTATE of a row that others refer to. */
const foreignKeyViolation = "23503";

/** Services of an agent: made, changed, published and retired by its owner; read by everybody. */
export function addServices(app: App, context: Context): void {
  const { config, db } = context;

  app.openapi(
    createRoute({
      method: "post",
      path: "/agents/{slug}/services",
      operationId: "createService",
      tags: ["services"],
      summary: "Create a service",
      description: "It starts as a draft, which only you see.",
      ...guarded(context, "services:write"),
      request: { params: agentParams, body: jsonBody(serviceRequest) },
      responses: {
        201: answer("The service", serviceSchema),
        ...refusals("conflict", "invalid_state", "invalid_schema"),
      },
    }),
    async (c) => {
      const request = c.req.valid("json");
      const columns = serviceColumns(request, config);
      checkQuantities(columns);
      const created = await db.transaction(async (tx) => {
        const owner = await lockOwnAgent(tx, c.req.valid("param").slug, callerOf(c));
        if (owner.status === "retired")
          throw new ApiError("invalid_state", "A retired agent takes no services.");
        const [row] = await tx
          .insert(service)
          .values({
            ...columns,
            id: typeid("svc").toString(),
            agentId: owner.id,
            slug: request.slug,
            title: request.title,
            pricingModel: request.pricing_model,
            price: columns.price as bigint,
            priceCurrency: pricingToken(config).symbol,
            deliveryTimeHours: request.delivery_time_hours,
            acceptanceHours: request.acceptance_hours,
          })
          .onConflictDoNothing({ target: [service.agentId, service.slug] })
          .returning({ id: service.id });
        if (!row) {
          throw new ApiError("conflict", `The agent has a service ${request.slug} already.`, [
            { path: "/slug", keyword: "unique", message: "is taken" },
          ]);
        }
        return readService(tx, row.id);
      });
      return c.json(presentService(created, config), 201);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/agents/{slug}/services",
      operationId: "listAgentServices",
      tags: ["services"],
      summary: "List an agent's services",
      description: "The published ones; to their owner all of them. Newest first, without schemas.",
      ...openToAll(context, "services:read"),
      request: { params: agentParams, query: pageQuery },
      responses: {
        200: answer("A page of services", servicePageSchema),
      },
    }),
    async (c) => {
      const query = c.req.valid("query");
      const caller = c.get("caller");
      const owner = await readVisibleAgent(db, c.req.valid("param").slug, caller);
      const ordering = newestFirst(service.createdAt, service.id);
      const shown = and(
        eq(service.agentId, owner.id),
        owner.accountId === caller?.accountId ? undefined : eq(service.status, "published"),
      );
      const [found, total] = await Promise.all([
        db
          .select({ ...listedServiceSelection, position: positionOf(ordering) })
          .from(service)
          .innerJoin(agent, eq(agent.id, service.agentId))
          .where(and(shown, afterCursor(ordering, query)))
          .orderBy(...orderBy(ordering))
          .limit(query.limit + 1)
          .offset(query.offset),
        db.$count(service, shown),
      ]);
      const { rows, next } = takePage(found, query, ordering);
      const items = rows.map((row) => presentListedService(row, config));
      return c.json(pageOf(items, total, query, next), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/agents/{slug}/services/{svc}",
      operationId: "readService",
      tags: ["services"],
      summary: "Read a service with its schemas",
      description: "Open to all; a draft only to its owner.",
      ...openToAll(context, "services:read"),
      request: { params: serviceParams },
      responses: { 200: answer("The service", serviceSchema) },
    }),
    async (c) => {
      const row = await readVisibleService(db, c.req.valid("param"), c.get("caller"));
      return c.json(presentService(row, config), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "patch",
      path: "/agents/{slug}/services/{svc}",
      operationId: "updateService",
      tags: ["services"],
      summary: "Change a service",
      description:
        "What the body does not name stays; null clears. Orders placed before keep what they agreed.",
      ...guarded(context, "services:write"),
      request: { params: serviceParams, body: jsonBody(serviceChange) },
      responses: { 200: answer("The service as it is now", serviceSchema), ...refusals("invalid_schema") },
    }),
    async (c) => {
      const columns = serviceColumns(c.req.valid("json"), config);
      const changed = await changeService(callerOf(c), c.req.valid("param"), (row) => {
        const { minQuantity = row.service.minQuantity, maxQuantity = row.service.maxQuantity } = columns;
        checkQuantities({ minQuantity, maxQuantity });
        return columns;
      });
      return c.json(changed, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "delete",
      path: "/agents/{slug}/services/{svc}",
      operationId: "deleteService",
      tags: ["services"],
      summary: "Delete a service that was never ordered",
      ...guarded(context, "services:write"),
      request: { params: serviceParams },
      responses: {
        200: answer("The id that is gone", z.object({ id: z.string() }).openapi("DeletedService")),
        ...refusals("conflict"),
      },
    }),
    async (c) => {
      const params = c.req.valid("param");
      const deleted = await db
        .transaction(async (tx) => {
          const row = await lockOwnService(tx, params, callerOf(c));
          await tx.delete(service).where(eq(service.id, row.service.id));
          return { id: row.service.id };
        })
        .catch((error: unknown) => {
          // The database itself refuses what an order names, even one that is being placed right now.
          if (!(error instanceof pg.DatabaseError) || error.code !== foreignKeyViolation) throw error;
          throw new ApiError(
            "conflict",
            `Orders name this service. Retire it: POST /agents/${params.slug}/services/${params.svc}/retire.`,
          );
        });
      return c.json(deleted, 200);
    },
  );

  const moves = [
    {
      action: "publish",
      operationId: "publishService",
      summary: "Publish a service",
      description: "It is listed while its agent is published too.",
      to: "published",
      from: ["draft", "paused"],
    },
    {
      action: "retire",
      operationId: "retireService",
      summary: "Take a service off the market for good",
      description: "Orders that stand go on; there is no way back.",
      to: "retired",
      from: ["draft", "published", "paused"],
    },
  ] as const satisfies { to: ServiceStatus; from: ServiceStatus[]; [field: string]: unknown }[];

  for (const { action, to, from, ...about } of moves) {
    app.openapi(
      createRoute({
        method: "post",
        path: `/agents/{slug}/services/{svc}/${action}`,
        tags: ["services"],
        ...about,
        ...guarded(context, "services:write"),
        request: { params: serviceParams },
        responses: { 200: answer("The service as it is now", serviceSchema), ...refusals("invalid_state") },
      }),
      async (c) => {
        const moved = await changeService(callerOf(c), c.req.valid("param"), (row) => moveTo(row, to, from));
        return c.json(moved, 200);
      },
    );
  }

  app.openapi(
    createRoute({
      method: "post",
      path: "/agents/{slug}/services/{svc}/availability",
      operationId: "setServiceAvailability",
      tags: ["services"],
      summary: "Take a published service off the market for a while, or back onto it",
      ...guarded(context, "services:write"),
      request: {
        params: serviceParams,
        body: jsonBody(z.strictObject({ available: z.boolean() }).openapi("AvailabilityRequest")),
      },
      responses: { 200: answer("The service as it is now", serviceSchema), ...refusals("invalid_state") },
    }),
    async (c) => {
      const { available } = c.req.valid("json");
      const moved = await changeService(callerOf(c), c.req.valid("param"), (row) =>
        available ? moveTo(row, "published", ["paused"]) : moveTo(row, "paused", ["published"]),
      );
      return c.json(moved, 200);
    },
  );

  /** Changes the caller's own service by what `columnsOf` says of it while nobody else can change it. */
  async function changeService(
    caller: Caller,
    params: z.output<typeof serviceParams>,
    columnsOf: (row: OwnService) => Partial<typeof service.$inferInsert>,
  ) {
    return db.transaction(async (tx) => {
      const row = await lockOwnService(tx, params, caller);
      await tx
        .update(service)
        .set({ ...columnsOf(row), updatedAt: sql`now()` })
        .where(eq(service.id, row.service.id));
      return presentService(await readService(tx, row.service.id), config);
    });
  }
}

function moveTo(
  { service: row, agentStatus }: OwnService,
  to: ServiceStatus,
  from: readonly ServiceStatus[],
) {
  // Again is not an error: whoever lost the answer may ask twice.
  if (row.status === to) return {};
  if (!from.includes(row.status)) {
    throw new ApiError("invalid_state", `A ${row.status} service cannot become ${to} this way.`);
  }
  if (to === "published" && agentStatus === "retired") {
    throw new ApiError("invalid_state", "The agent of this service is retired.");
  }
  return { status: to, ...(to === "published" ? { publishedAt: row.publishedAt ?? new Date() } : {}) };
}
