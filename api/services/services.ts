import { createRoute, z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import type { Transaction } from "../../db/client.ts";
import { and, eq, ne } from "../../db/drizzle.ts";
import { agent, service } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { createService, deleteService } from "../../trade/services/new-service.ts";
import { checkAccepts } from "../../trade/services/payment-token.ts";
import { agentParams, readVisibleAgent } from "../agents/agent.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { refuseField } from "../http/api-error.ts";
import { recordAudit } from "../http/audit-log.ts";
import { createVersionCheck, ifMatchHeader, ifNoneMatchHeader, notModified, setTag } from "../http/etag.ts";
import { idField } from "../http/fields.ts";
import { newestFirst } from "../http/list-order.ts";
import { countRows, pageQuery, readPage } from "../http/listing.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse, publicAccessRule } from "../http/openapi.ts";
import type { App, Variables } from "../variables.ts";
import {
  changeOwnService,
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
import { serviceChange, serviceColumns, serviceRequest } from "./service-fields.ts";

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
      ...accessRule(context, "services:write"),
      request: { params: agentParams, body: jsonBody(serviceRequest) },
      responses: {
        201: jsonResponse("The service", serviceSchema),
        ...errorResponses("conflict", "invalid_state", "invalid_schema", "checker_busy"),
      },
    }),
    async (c) => {
      const request = c.req.valid("json");
      const columns = await serviceColumns(context, callerOf(c), request);
      const requested = {
        ...columns,
        slug: request.slug,
        title: request.title,
        pricingModel: request.pricing_model,
        accepts: request.accepts ?? null,
        priceCurrency: request.price_currency,
        deliveryTimeHours: request.delivery_time_hours,
        acceptanceHours: request.acceptance_hours,
      };
      const created = await inTransaction(db, async (tx) => {
        const id = await createService(tx, config, callerOf(c), c.req.valid("param").slug, requested);
        const to = columns.executionUrl ?? columns.sessionUrl ?? null;
        await recordEndpoint(tx, c, id, { from: null, to });
        return readService(tx, id);
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
      ...publicAccessRule(context, "services:read", answers.serve),
      request: {
        params: agentParams,
        query: pageQuery.extend({ status: serviceStatusField.optional() }),
        headers: ifNoneMatchHeader,
      },
      responses: { 200: jsonResponse("A page of services", servicePageSchema), ...notModified },
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
      ...publicAccessRule(context, "services:read", answers.serve),
      request: { params: serviceParams, headers: ifNoneMatchHeader },
      responses: { 200: jsonResponse("The service", serviceSchema), ...notModified },
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
      ...accessRule(context, "services:write"),
      request: { params: serviceParams, headers: ifMatchHeader, body: jsonBody(serviceChange) },
      responses: {
        200: jsonResponse("The changed service", serviceSchema),
        ...errorResponses("service_incomplete", "precondition_failed", "invalid_schema", "checker_busy"),
      },
    }),
    async (c) => {
      const request = c.req.valid("json");
      const columns = await serviceColumns(context, callerOf(c), request);
      const params = c.req.valid("param");
      const changed = await changeOwnService(context, callerOf(c), params, c.req.header("if-match"), {
        columnsOf: (row) => {
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
        recordChange: (tx, before, after) =>
          recordEndpoint(tx, c, before.id, { from: endpointOf(before), to: endpointOf(after) }),
      });
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
      ...accessRule(context, "services:write"),
      request: { params: serviceParams, headers: ifMatchHeader },
      responses: {
        200: jsonResponse(
          "The id of the deleted service",
          z.object({ id: idField("svc") }).openapi("DeletedService"),
        ),
        ...errorResponses("conflict", "invalid_state", "precondition_failed"),
      },
    }),
    async (c) => {
      const params = c.req.valid("param");
      const check = createVersionCheck(c.req.header("if-match"));
      const id = await inTransaction(db, (tx) => deleteService(tx, callerOf(c), params, check));
      return c.json({ id }, 200);
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
