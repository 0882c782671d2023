import { createRoute, z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import pg from "pg";
import { typeid } from "typeid-js";
import type { Transaction } from "../../db/client.ts";
import { and, eq, inArray, ne } from "../../db/drizzle.ts";
import { agent, service } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { caps, requireBelowCap } from "../../trade/account-caps.ts";
import { checkAccepts } from "../../trade/services/payment-token.ts";
import { requirePayoutChains } from "../../trade/services/payout-chains.ts";
import { checkPricing } from "../../trade/services/pricing.ts";
import { checkServiceStages } from "../../trade/services/stages.ts";
import { agentParams, lockOwnAgent, readVisibleAgent } from "../agents/agent.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError, refuseField } from "../http/api-error.ts";
import { recordAudit } from "../http/audit-log.ts";
import { ifMatchHeader, ifNoneMatchHeader, notModified, setTag } from "../http/etag.ts";
import { idField } from "../http/fields.ts";
import { newestFirst } from "../http/list-order.ts";
import { countRows, pageQuery, readPage } from "../http/listing.ts";
import { answer, guarded, jsonBody, openToAll, refusals } from "../http/openapi.ts";
import type { App, Variables } from "../variables.ts";
import {
  listedServiceSelection,
  presentListedService,
  presentService,
  readService,
  readVisibleService,
  servicePageSchema,
  serviceParams,
  serviceSchema,
  serviceStatusField,
} from "./service.ts";
import { changeService, lockOwnService } from "./service-change.ts";
import { serviceChange, serviceColumns, serviceRequest } from "./service-fields.ts";

/** SQLSTATE of a row that other rows refer to. */
const foreignKeyViolation = "23503";

/** Slugs that could become paths below `/agents/{slug}/services`, or that readers would take for a path. */
const reservedSlugs = new Set(["mine", "new", "search"]);

/** Adds the routes of an agent's services. The owner creates, changes and deletes them. Everybody may read them. */
export function addServiceRoutes(app: App, context: Context): void {
  const { config, db, answers } = context;

  app.openapi(
    createRoute({
      method: "post",
      path: "/agents/{slug}/services",
      operationId: "createService",
      tags: ["services"],
      summary: "Create a service",
      description: "The service starts as a draft, which only you can see.",
      ...guarded(context, "services:write"),
      request: { params: agentParams, body: jsonBody(serviceRequest) },
      responses: {
        201: answer("The service", serviceSchema),
        ...refusals("conflict", "invalid_state", "invalid_schema", "checker_busy"),
      },
    }),
    async (c) => {
      const request = c.req.valid("json");
      if (reservedSlugs.has(request.slug)) throw slugTaken(request.slug);
      const columns = await serviceColumns(context, callerOf(c), request);
      const offered = {
        pricingModel: request.pricing_model,
        price: columns.price ?? 0n,
        stages: columns.stages ?? null,
        deliveryTimeHours: request.delivery_time_hours,
        minQuantity: request.min_quantity,
        maxQuantity: request.max_quantity ?? null,
        priceUnit: request.price_unit ?? null,
        billingInterval: request.interval ?? null,
        sessionUrl: columns.sessionUrl ?? null,
        executionUrl: columns.executionUrl ?? null,
      };
      checkPricing(offered);
      checkServiceStages(offered);
      const accepting = checkAccepts(config, {
        accepts: request.accepts ?? null,
        currency: request.price_currency,
        price: columns.price ?? 0n,
      });
      const created = await inTransaction(db, async (tx) => {
        const owner = await lockOwnAgent(tx, c.req.valid("param").slug, callerOf(c), undefined);
        if (owner.status === "retired")
          throw new ApiError("invalid_state", "A retired agent cannot have new services.");
        await requirePayoutChains(tx, config, { ...owner, ...accepting });
        const agents = tx.select({ id: agent.id }).from(agent).where(eq(agent.accountId, owner.accountId));
        const own = inArray(service.agentId, agents);
        await requireBelowCap(
          tx,
          owner.accountId,
          [service, own],
          caps.services,
          "services, retired ones too",
        );
        const [row] = await tx
          .insert(service)
          .values({
            ...columns,
            id: typeid("svc").toString(),
            agentId: owner.id,
            slug: request.slug,
            title: request.title,
            pricingModel: request.pricing_model,
            price: columns.price ?? 0n,
            ...accepting,
            deliveryTimeHours: request.delivery_time_hours,
            acceptanceHours: request.acceptance_hours,
          })
          .onConflictDoNothing({ target: [service.agentId, service.slug] })
          .returning({ id: service.id });
        if (!row) throw slugTaken(request.slug);
        await recordEndpoint(tx, c, row.id, {
          from: null,
          to: columns.executionUrl ?? columns.sessionUrl ?? null,
        });
        return readService(tx, row.id);
      });
      const shown = presentService(created, config, callerOf(c));
      setTag(c, created.service.version, shown);
      return c.json(shown, 201);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/agents/{slug}/services",
      operationId: "listAgentServices",
      tags: ["services"],
      summary: "List an agent's services",
      description:
        "Newest first, without schemas. Everybody sees the published services. The owner sees all but the retired ones, which `status=retired` lists.",
      ...openToAll(context, "services:read", answers.serve),
      request: {
        params: agentParams,
        query: pageQuery.extend({ status: serviceStatusField.optional() }),
        headers: ifNoneMatchHeader,
      },
      responses: { 200: answer("A page of services", servicePageSchema), ...notModified },
    }),
    (c) =>
      answers.give(c, async (from) => {
        const query = c.req.valid("query");
        const caller = c.get("caller");
        const owner = await readVisibleAgent(from, c.req.valid("param").slug, caller);
        const condition = and(
          eq(service.agentId, owner.id),
          owner.accountId === caller?.accountId ? undefined : eq(service.status, "published"),
          query.status ? eq(service.status, query.status) : ne(service.status, "retired"),
        );
        const shown = await readPage(newestFirst(service.createdAt, service.id), query, {
          select: ({ position, after, order, limit, offset }) =>
            from
              .select({ ...listedServiceSelection, position })
              .from(service)
              .innerJoin(agent, eq(agent.id, service.agentId))
              .where(and(condition, after))
              .orderBy(...order)
              .limit(limit)
              .offset(offset),
          count: () => countRows(from, service, condition),
          present: (row) => presentListedService(row, config),
        });
        return { shown };
      }),
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/agents/{slug}/services/{svc}",
      operationId: "readService",
      tags: ["services"],
      summary: "Read a service with its schemas",
      description: "Open to everybody; a draft only to its owner.",
      ...openToAll(context, "services:read", answers.serve),
      request: { params: serviceParams, headers: ifNoneMatchHeader },
      responses: { 200: answer("The service", serviceSchema), ...notModified },
    }),
    (c) =>
      answers.give(c, async (from) => {
        const row = await readVisibleService(from, c.req.valid("param"), c.get("caller"));
        return { shown: presentService(row, config, c.get("caller")), version: row.service.version };
      }),
  );

  app.openapi(
    createRoute({
      method: "patch",
      path: "/agents/{slug}/services/{svc}",
      operationId: "updateService",
      tags: ["services"],
      summary: "Change a service",
      description:
        "Fields that you omit keep their value; null clears a field. A published service must remain complete. Existing orders keep their agreement.",
      ...guarded(context, "services:write"),
      request: { params: serviceParams, headers: ifMatchHeader, body: jsonBody(serviceChange) },
      responses: {
        200: answer("The changed service", serviceSchema),
        ...refusals("service_incomplete", "precondition_failed", "invalid_schema", "checker_busy"),
      },
    }),
    async (c) => {
      const request = c.req.valid("json");
      const columns = await serviceColumns(context, callerOf(c), request);
      const changed = await changeService(
        context,
        callerOf(c),
        c.req.valid("param"),
        c.req.header("if-match"),
        (row) => {
          if (request.price === null && (request.pricing_model ?? row.pricingModel) !== "negotiated") {
            throw refuseField(
              "price",
              "required",
              "Field `price`: only a negotiated service may have no price.",
            );
          }
          const { accepts, price_currency } = request;
          if (accepts === undefined && price_currency === undefined && columns.price === undefined)
            return columns;
          const accepting = checkAccepts(config, {
            accepts: accepts === undefined ? row.accepts : accepts,
            // A new list may be of another currency.
            currency: price_currency ?? (accepts === undefined ? row.priceCurrency : undefined),
            price: columns.price ?? row.price,
          });
          return { ...columns, ...accepting };
        },
        {
          recordChange: (tx, before, after) =>
            recordEndpoint(tx, c, before.id, { from: endpointOf(before), to: endpointOf(after) }),
        },
      );
      const shown = presentService(changed, config, callerOf(c));
      setTag(c, changed.service.version, shown);
      return c.json(shown, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "delete",
      path: "/agents/{slug}/services/{svc}",
      operationId: "deleteService",
      tags: ["services"],
      summary: "Delete a service without orders",
      ...guarded(context, "services:write"),
      request: { params: serviceParams, headers: ifMatchHeader },
      responses: {
        200: answer(
          "The id of the deleted service",
          z.object({ id: idField("svc") }).openapi("DeletedService"),
        ),
        ...refusals("conflict", "invalid_state", "precondition_failed"),
      },
    }),
    async (c) => {
      const params = c.req.valid("param");
      const deleted = await inTransaction(db, async (tx) => {
        const { id, status } = await lockOwnService(tx, params, callerOf(c), c.req.header("if-match"));
        // Otherwise its owner could make it again under the same path.
        if (status === "suspended") {
          throw new ApiError("invalid_state", "An operator suspended this service, so it cannot be deleted.");
        }
        await tx.delete(service).where(eq(service.id, id));
        return { id };
      }).catch((error: unknown) => {
        // The database's foreign key also covers an order that is being placed at this moment.
        if (!(error instanceof pg.DatabaseError) || error.code !== foreignKeyViolation) throw error;
        throw new ApiError(
          "conflict",
          `The service has orders, so it cannot be deleted. Retire it: POST /agents/${params.slug}/services/${params.svc}/retire.`,
        );
      });
      return c.json(deleted, 200);
    },
  );
}

function endpointOf({
  executionUrl,
  sessionUrl,
}: Pick<typeof service.$inferSelect, "executionUrl" | "sessionUrl">) {
  return executionUrl ?? sessionUrl;
}

/** Records a change of the endpoint of orders or sessions. A stolen key could send paid orders elsewhere; the owner sees when, and by which key. */
async function recordEndpoint(
  tx: Transaction,
  c: HonoContext<{ Variables: Variables }>,
  serviceId: string,
  change: { from: string | null; to: string | null },
): Promise<void> {
  if (change.from === change.to) return;
  await recordAudit(tx, c, { action: "service.execution_changed", target: serviceId, data: change });
}

function slugTaken(slug: string): ApiError {
  return new ApiError(
    "conflict",
    `The agent has a service ${slug} already, or the slug is reserved. Choose another slug.`,
    [{ path: "/slug", keyword: "unique", message: "is taken" }],
  );
}
