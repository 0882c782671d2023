import { createRoute, z } from "@hono/zod-openapi";
import { and, arrayContains, type Column, count, desc, eq, gte, lte, type SQL, sql } from "drizzle-orm";
import { agent, service } from "../db/schema.ts";
import { agentSchema, agentSelection, presentAgent } from "./agent.ts";
import type { App, Context } from "./context.ts";
import { answer } from "./openapi.ts";
import {
  afterCursor,
  newestFirst,
  type Ordering,
  orderBy,
  pageOf,
  pageQuery,
  pageSchema,
  positionOf,
  takePage,
} from "./page.ts";
import {
  listedServiceSelection,
  presentListedService,
  pricingModels,
  readAmount,
  servicePageSchema,
} from "./service.ts";

const searchField = z.string().trim().min(1).max(200).optional().openapi({
  description: 'words to find; `"a phrase"`, `or` and `-without` are understood',
  example: "translation japanese",
});

const price = z.string().max(100).optional();

const servicesQuery = pageQuery.extend({
  q: searchField,
  category: z.string().trim().toLowerCase().max(60).optional(),
  tags: z
    .string()
    .max(1000)
    .transform((list) => list.split(",").flatMap((tag) => tag.trim().toLowerCase() || []))
    .optional()
    .openapi({ type: "string", description: "separated by commas; a service has to carry all of them" }),
  pricing_model: z.enum(pricingModels).optional(),
  min_price: price.openapi({ example: "1.00" }),
  max_price: price.openapi({ example: "20.00" }),
  max_delivery_hours: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, "must be a whole number from 1")
    .transform(Number)
    .optional()
    .openapi({ type: "integer", minimum: 1 }),
  agent: z.string().max(63).optional().openapi({ description: "an agent's slug" }),
  sort: z
    .enum(["relevance", "newest", "price_low", "price_high"])
    .optional()
    .openapi({ description: "`relevance` by default where `q` is given, else `newest`" }),
});

const agentsQuery = pageQuery.extend({
  q: searchField,
  skill: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .openapi({ description: "exactly as the agent names it" }),
  language: z.string().trim().min(1).max(100).optional(),
  sort: z
    .enum(["relevance", "newest"])
    .optional()
    .openapi({ description: "`relevance` by default where `q` is given, else `newest`" }),
});

/** What is on offer: published services of published agents. Open to all. */
export function addMarketplace(app: App, context: Context): void {
  const { config, db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/marketplace/services",
      operationId: "searchServices",
      tags: ["marketplace"],
      summary: "Search the services on offer",
      description: "Without schemas: `GET /agents/{slug}/services/{svc}` has those.",
      request: { query: servicesQuery },
      responses: {
        200: answer("A page of services", servicePageSchema),
      },
    }),
    async (c) => {
      const query = c.req.valid("query");
      const offered = and(
        isOffered,
        query.q ? matches(service.search, query.q) : undefined,
        query.category ? eq(service.category, query.category) : undefined,
        query.tags?.length ? arrayContains(service.tags, query.tags) : undefined,
        query.pricing_model ? eq(service.pricingModel, query.pricing_model) : undefined,
        query.min_price ? gte(service.price, readAmount("min_price", query.min_price, config)) : undefined,
        query.max_price ? lte(service.price, readAmount("max_price", query.max_price, config)) : undefined,
        query.max_delivery_hours ? lte(service.deliveryTimeHours, query.max_delivery_hours) : undefined,
        query.agent ? eq(agent.slug, query.agent) : undefined,
      );
      const byPrice = { keys: [{ by: service.price, type: "number" }, serviceId] } as const;
      const ordering: Ordering = {
        newest: newestFirst(service.createdAt, service.id),
        price_low: { name: "price_low", direction: "asc" as const, ...byPrice },
        price_high: { name: "price_high", direction: "desc" as const, ...byPrice },
        relevance:
          mostRelevantFirst(service.search, query.q, serviceId) ?? newestFirst(service.createdAt, service.id),
      }[query.sort ?? "relevance"];
      const [found, [{ total } = { total: 0 }]] = await Promise.all([
        db
          .select({ ...listedServiceSelection, position: positionOf(ordering) })
          .from(service)
          .innerJoin(agent, eq(agent.id, service.agentId))
          .where(and(offered, afterCursor(ordering, query)))
          .orderBy(...orderBy(ordering))
          .limit(query.limit + 1)
          .offset(query.offset),
        db
          .select({ total: count() })
          .from(service)
          .innerJoin(agent, eq(agent.id, service.agentId))
          .where(offered),
      ]);
      const { rows, next } = takePage(found, query, ordering);
      const items = rows.map((row) => presentListedService(row, config));
      return c.json(pageOf(items, total, query, next), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/marketplace/agents",
      operationId: "searchAgents",
      tags: ["marketplace"],
      summary: "Search the agents on offer",
      request: { query: agentsQuery },
      responses: { 200: answer("A page of agents", pageSchema(agentSchema).openapi("AgentPage")) },
    }),
    async (c) => {
      const query = c.req.valid("query");
      const offered = and(
        eq(agent.status, "published"),
        query.q ? matches(agent.search, query.q) : undefined,
        query.skill ? sql`${agent.capabilities} -> 'skills' ? ${query.skill}` : undefined,
        query.language ? sql`${agent.capabilities} -> 'languages' ? ${query.language}` : undefined,
      );
      const newest = newestFirst(agent.createdAt, agent.id);
      const relevance = mostRelevantFirst(agent.search, query.q, { by: agent.id, type: "id" });
      const ordering = query.sort === "newest" ? newest : (relevance ?? newest);
      const [found, total] = await Promise.all([
        db
          .select({ ...agentSelection, position: positionOf(ordering) })
          .from(agent)
          .where(and(offered, afterCursor(ordering, query)))
          .orderBy(...orderBy(ordering))
          .limit(query.limit + 1)
          .offset(query.offset),
        db.$count(agent, offered),
      ]);
      const { rows, next } = takePage(found, query, ordering);
      return c.json(pageOf(rows.map(presentAgent), total, query, next), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/categories",
      operationId: "listCategories",
      tags: ["marketplace"],
      summary: "List the categories of the services on offer",
      responses: {
        200: answer(
          "Categories, the fullest first",
          z
            .object({ items: z.array(z.object({ category: z.string(), service_count: z.int() })) })
            .openapi("Categories"),
        ),
      },
    }),
    async (c) => {
      const category = sql<string>`${service.category}`;
      const items = await db
        .select({ category, service_count: count() })
        .from(service)
        .innerJoin(agent, eq(agent.id, service.agentId))
        .where(and(isOffered, sql`${service.category} is not null`))
        .groupBy(category)
        .orderBy(desc(count()), category);
      return c.json({ items }, 200);
    },
  );
}

const isOffered = and(eq(service.status, "published"), eq(agent.status, "published"));
const serviceId = { by: service.id, type: "id" } as const;

/** Whether a row's search text has what is asked for. */
function matches(search: Column, q: string): SQL {
  return sql`${search} @@ ${searchOf(q)}`;
}

/**
 * A text as PostgreSQL's web search reads it. Of plain words the last may be the start of one, as when somebody is
 * still typing.
 */
function searchOf(q: string): SQL {
  const asked = sql`websearch_to_tsquery('english', ${q})`;
  if (!/^[\p{L}\p{N}]+( +[\p{L}\p{N}]+)*$/u.test(q)) return asked;
  const started = `${q.split(/ +/).join(" & ")}:*`;
  return sql`(${asked} || to_tsquery('english', ${started}))`;
}

/** The best matches first; none without a search. */
function mostRelevantFirst(
  search: Column,
  q: string | undefined,
  id: Ordering["keys"][number],
): Ordering | null {
  if (!q) return null;
  // In millionths, since a cursor holds whole numbers.
  const rank = sql`(ts_rank(${search}, ${searchOf(q)}) * 1000000)::int`;
  return { name: "relevance", direction: "desc", keys: [{ by: rank, type: "number" }, id] };
}
