import { createRoute, z } from "@hono/zod-openapi";
import { and, eq, ne } from "../../db/drizzle.ts";
import { agent } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { createAgent, deleteDraftAgent } from "../../trade/agents/new-agent.ts";
import { policyOf } from "../../untrusted/outbound/url-guard.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { createVersionCheck, ifMatchHeader, ifNoneMatchHeader, notModified, setTag } from "../http/etag.ts";
import { idField } from "../http/fields.ts";
import { newestFirst } from "../http/list-order.ts";
import { limitField, pageQuery, readPage, totalOf } from "../http/listing.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse, publicAccessRule } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import {
  agentChange,
  agentColumns,
  agentParams,
  agentRequest,
  agentSchema,
  agentSelection,
  agentStatusField,
  changeOwnAgent,
  presentAgent,
  readAgent,
  readVisibleAgent,
} from "./agent.ts";
import { noCapabilities } from "./capabilities.ts";
import { requireProbeable } from "./endpoint-health.ts";

const mineQuery = z.object({
  status: agentStatusField.optional(),
  limit: limitField(100),
  cursor: pageQuery.shape.cursor.openapi({
    description: "The cursor in the header `Link` of the previous page.",
  }),
});

/** Adds the routes of agents. Owners create, change and delete them. Everybody may read them. */
export function addAgentRoutes(app: App, context: Context): void {
  const { db, config, answers } = context;
  const policy = policyOf(config.publicUrl);

  app.openapi(
    createRoute({
      method: "post",
      path: "/agents",
      operationId: "createAgent",
      tags: ["agents"],
      summary: "Create an agent",
      description: "The agent starts as a draft, which only you can see.",
      ...accessRule(context, "agents:write"),
      request: { body: jsonBody(agentRequest) },
      responses: { 201: jsonResponse("The agent", agentSchema), ...errorResponses("conflict") },
    }),
    async (c) => {
      const { slug, ...request } = c.req.valid("json");
      const { capabilities = noCapabilities, ...columns } = agentColumns(request);
      requireProbeable(columns, policy);
      const created = { ...columns, slug, name: request.name, capabilities };
      const shown = await inTransaction(db, async (tx) =>
        presentAgent(await readAgent(tx, await createAgent(tx, callerOf(c), created))),
      );
      setTag(c, 1, shown);
      return c.json(shown, 201);
    },
  );

  // Before `/agents/{slug}`, which would take it for a slug.
  app.openapi(
    createRoute({
      method: "get",
      path: "/agents/mine",
      operationId: "listOwnAgents",
      tags: ["agents"],
      summary: "List your agents",
      description:
        'Newest first, with drafts. Retired agents are listed only by `status=retired`. The answer is a plain array. If there are more agents, the header `Link` has the URL of the next page (`rel="next"`).',
      ...accessRule(context, "agents:read"),
      request: { query: mineQuery },
      responses: {
        200: {
          ...jsonResponse("Your agents", z.array(agentSchema)),
          headers: z.object({
            Link: z.string().optional().openapi({
              description: "The next page (RFC 8288); absent on the last page.",
              example: '<https://earnest.example/api/v1/agents/mine?limit=100&cursor=WyJu>; rel="next"',
            }),
          }),
        },
      },
    }),
    async (c) => {
      const { status, ...query } = c.req.valid("query");
      const page = await readPage(
        newestFirst(agent.createdAt, agent.id),
        { ...query, offset: 0 },
        {
          select: ({ position, after, order, limit }) =>
            db
              .select({ ...agentSelection, position })
              .from(agent)
              .where(
                and(
                  eq(agent.accountId, callerOf(c).accountId),
                  status ? eq(agent.status, status) : ne(agent.status, "retired"),
                  after,
                ),
              )
              .orderBy(...order)
              .limit(limit),
          // A plain array has no total.
          count: async () => totalOf(0),
          present: (row) => presentAgent(row),
        },
      );
      if (page.next_cursor) {
        const next = new URLSearchParams({
          ...(status ? { status } : {}),
          limit: String(query.limit),
          cursor: page.next_cursor,
        });
        c.header("Link", `<${config.publicUrl}${apiPath}/agents/mine?${next}>; rel="next"`);
      }
      return c.json(page.items, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/agents/{slug}",
      operationId: "readAgent",
      tags: ["agents"],
      summary: "Read an agent",
      description: "Open to everybody; a draft only to its owner.",
      ...publicAccessRule(context, "agents:read", answers.serve),
      request: { params: agentParams, headers: ifNoneMatchHeader },
      responses: { 200: jsonResponse("The agent", agentSchema), ...notModified },
    }),
    (c) =>
      answers.give(c, async (from) => {
        const row = await readVisibleAgent(from, c.req.valid("param").slug, c.get("caller"));
        return { shown: presentAgent(row), version: row.version };
      }),
  );

  app.openapi(
    createRoute({
      method: "patch",
      path: "/agents/{slug}",
      operationId: "updateAgent",
      tags: ["agents"],
      summary: "Change an agent",
      description: "Fields that you omit keep their value; null clears a field.",
      ...accessRule(context, "agents:write"),
      request: { params: agentParams, headers: ifMatchHeader, body: jsonBody(agentChange) },
      responses: {
        200: jsonResponse("The changed agent", agentSchema),
        ...errorResponses("precondition_failed"),
      },
    }),
    async (c) => {
      const columns = agentColumns(c.req.valid("json"));
      requireProbeable(columns, policy);
      const { slug } = c.req.valid("param");
      const ifMatch = c.req.header("if-match");
      const changed = await changeOwnAgent(context, callerOf(c), slug, ifMatch, async () => columns);
      const shown = presentAgent(changed);
      setTag(c, changed.version, shown);
      return c.json(shown, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "delete",
      path: "/agents/{slug}",
      operationId: "deleteAgent",
      tags: ["agents"],
      summary: "Delete a draft with its services",
      description:
        "An agent that was ever published can only be retired, so that its slug never names another agent.",
      ...accessRule(context, "agents:write"),
      request: { params: agentParams, headers: ifMatchHeader },
      responses: {
        200: jsonResponse(
          "The id of the deleted agent",
          z.object({ id: idField("agt") }).openapi("DeletedAgent"),
        ),
        ...errorResponses("invalid_state", "precondition_failed"),
      },
    }),
    async (c) => {
      const { slug } = c.req.valid("param");
      const check = createVersionCheck(c.req.header("if-match"));
      const id = await inTransaction(db, (tx) => deleteDraftAgent(tx, callerOf(c), slug, check));
      return c.json({ id }, 200);
    },
  );
}
