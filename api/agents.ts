import { createRoute, z } from "@hono/zod-openapi";
import { and, desc, eq, ne } from "drizzle-orm";
import { typeid } from "typeid-js";
import { agent, service } from "../db/schema.ts";
import { policyOf } from "../outbound/guard.ts";
import { callerOf } from "./access.ts";
import {
  agentChange,
  agentColumns,
  agentParams,
  agentRequest,
  agentSchema,
  agentSelection,
  agentStatuses,
  changeAgent,
  lockOwnAgent,
  presentAgent,
  readAgent,
  readVisibleAgent,
} from "./agent.ts";
import { noCapabilities } from "./capabilities.ts";
import type { App, Context } from "./context.ts";
import { requireProbeable } from "./endpoint-health.ts";
import { ApiError } from "./errors.ts";
import { ifMatchHeader, ifNoneMatchHeader, isKnown, notModified, setTag } from "./etag.ts";
import { answer, guarded, jsonBody, openToAll, refusals } from "./openapi.ts";

/** Slugs that are paths of ours below `/agents`, or that people would take for one, or for us. */
const reservedSlugs = new Set(["admin", "api", "earnest", "me", "mine", "new", "search", "support"]);

/** Agents: made, changed and deleted by their owner; read by everybody. */
export function addAgents(app: App, context: Context): void {
  const { db, config } = context;
  const policy = policyOf(config.publicUrl);

  app.openapi(
    createRoute({
      method: "post",
      path: "/agents",
      operationId: "createAgent",
      tags: ["agents"],
      summary: "Create an agent",
      description: "It starts as a draft, which only you see.",
      ...guarded(context, "agents:write"),
      request: { body: jsonBody(agentRequest) },
      responses: { 201: answer("The agent", agentSchema), ...refusals("conflict") },
    }),
    async (c) => {
      const { slug, ...request } = c.req.valid("json");
      if (reservedSlugs.has(slug)) throw slugTaken(slug);
      const { capabilities = noCapabilities, ...columns } = agentColumns(request);
      requireProbeable(columns, policy);
      const [row] = await db
        .insert(agent)
        .values({
          ...columns,
          id: typeid("agt").toString(),
          accountId: callerOf(c).accountId,
          slug,
          name: request.name,
          capabilities,
        })
        .onConflictDoNothing({ target: agent.slug })
        .returning({ id: agent.id });
      if (!row) throw slugTaken(slug);
      const shown = presentAgent(await readAgent(db, row.id));
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
      description: "Newest first, drafts included; the retired ones are listed by `status=retired` alone.",
      ...guarded(context, "agents:read"),
      request: { query: z.object({ status: z.enum(agentStatuses).optional() }) },
      responses: { 200: answer("Your agents", z.array(agentSchema)) },
    }),
    async (c) => {
      const { status } = c.req.valid("query");
      const rows = await db
        .select(agentSelection)
        .from(agent)
        .where(
          and(
            eq(agent.accountId, callerOf(c).accountId),
            status ? eq(agent.status, status) : ne(agent.status, "retired"),
          ),
        )
        .orderBy(desc(agent.createdAt), desc(agent.id));
      return c.json(rows.map(presentAgent), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/agents/{slug}",
      operationId: "readAgent",
      tags: ["agents"],
      summary: "Read an agent",
      description: "Open to all; a draft only to its owner.",
      ...openToAll(context, "agents:read"),
      request: { params: agentParams, headers: ifNoneMatchHeader },
      responses: { 200: answer("The agent", agentSchema), ...notModified },
    }),
    async (c) => {
      const row = await readVisibleAgent(db, c.req.valid("param").slug, c.get("caller"));
      const shown = presentAgent(row);
      if (isKnown(c, row.version, shown)) return c.body(null, 304);
      return c.json(shown, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "patch",
      path: "/agents/{slug}",
      operationId: "updateAgent",
      tags: ["agents"],
      summary: "Change an agent",
      description: "What the body does not name stays; null clears.",
      ...guarded(context, "agents:write"),
      request: { params: agentParams, headers: ifMatchHeader, body: jsonBody(agentChange) },
      responses: { 200: answer("The agent as it is now", agentSchema), ...refusals("precondition_failed") },
    }),
    async (c) => {
      const columns = agentColumns(c.req.valid("json"));
      requireProbeable(columns, policy);
      const { slug } = c.req.valid("param");
      const ifMatch = c.req.header("if-match");
      const changed = await changeAgent(context, callerOf(c), slug, ifMatch, async () => columns);
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
      summary: "Delete a draft, with its services",
      description: "What was ever published is retired instead, so that its slug never names another.",
      ...guarded(context, "agents:write"),
      request: { params: agentParams, headers: ifMatchHeader },
      responses: {
        200: answer(
          "The id that is gone",
          z
            .object({ id: z.string().openapi({ example: "agt_01jd3w8x2mfhz8w9q4t6n5k7ra" }) })
            .openapi("DeletedAgent"),
        ),
        ...refusals("invalid_state", "precondition_failed"),
      },
    }),
    async (c) => {
      const deleted = await db.transaction(async (tx) => {
        const { slug } = c.req.valid("param");
        const row = await lockOwnAgent(tx, slug, callerOf(c), c.req.header("if-match"));
        if (row.status !== "draft" || row.publishedAt) {
          throw new ApiError(
            "invalid_state",
            `Only a draft that was never published is deleted. Retire this: POST /agents/${slug}/retire.`,
          );
        }
        // No order names them: nobody can order from an agent that was never published.
        await tx.delete(service).where(eq(service.agentId, row.id));
        await tx.delete(agent).where(eq(agent.id, row.id));
        return { id: row.id };
      });
      return c.json(deleted, 200);
    },
  );
}

function slugTaken(slug: string): ApiError {
  return new ApiError("conflict", `The slug ${slug} is taken; choose another.`, [
    { path: "/slug", keyword: "unique", message: "is taken" },
  ]);
}
