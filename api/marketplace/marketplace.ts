import { createRoute, z } from "@hono/zod-openapi";
import { and, arrayContains, type SQL, sql } from "drizzle-orm";
import type { Database } from "../../db/client.ts";
import { agent } from "../../db/schema.ts";
import { agentSchema, agentSelection, presentAgent } from "../agents/agent.ts";
import { canonicalLanguage, normaliseSkill } from "../agents/capability-words.ts";
import { verifiedQuery } from "../agents/verified.ts";
import type { App, Context } from "../context.ts";
import { ifNoneMatchHeader, notModified } from "../http/etag.ts";
import {
  afterPosition,
  countRows,
  type Ordering,
  type PageQuery,
  type PageSlice,
  pageQuery,
  pageSchema,
  readCursor,
  readPage,
  type Total,
  totalOf,
} from "../http/listing.ts";
import { answer } from "../http/openapi.ts";
import { publicAnswersOf } from "../http/public-answers.ts";
import { listedServiceSchema } from "../services/service.ts";
import { offersQuery } from "./query.ts";
import { reputeConditions, reputeQuery } from "./repute.ts";
import {
  byRelevance,
  correctedField,
  correctSearch,
  type Market,
  markets,
  matches,
  orderingOf,
  queryText,
  rankCandidates,
  ranked,
  requireFindable,
  type Sorted,
  searchField,
  unrankedOrder,
} from "./search.ts";
import { readServicePage } from "./service-page.ts";

const sortDescription = "`relevance` by default where `q` is given, else `newest`";

const servicesQuery = pageQuery.extend(offersQuery.shape).extend({
  sort: z
    .enum(["relevance", "newest", "price_low", "price_high", "most_completed", "score"])
    .openapi("ServiceSort")
    .optional()
    .openapi({ description: sortDescription }),
});

const agentsQuery = pageQuery.extend({
  q: searchField,
  skill: queryText(100).min(1).optional().openapi({ description: "a skill that the agent names" }),
  language: queryText(100)
    .min(1)
    .optional()
    .openapi({ description: "a language tag (BCP 47)", example: "ja" }),
  verified: verifiedQuery,
  ...reputeQuery.shape,
  sort: z
    .enum(["relevance", "newest", "most_completed", "score"])
    .openapi("AgentSort")
    .optional()
    .openapi({ description: sortDescription }),
});

/** What is on offer: published services of published agents. Open to all. */
export function addMarketplaceSearch(app: App, context: Context): void {
  const { config, db } = context;
  const answers = publicAnswersOf(context);

  app.openapi(
    createRoute({
      method: "get",
      path: "/marketplace/services",
      operationId: "searchServices",
      tags: ["marketplace"],
      summary: "Search the services on offer",
      description: "Without schemas: `GET /agents/{slug}/services/{svc}` has those.",
      middleware: answers.serve,
      request: { query: servicesQuery, headers: ifNoneMatchHeader },
      responses: {
        200: answer(
          "A page of services",
          pageSchema(listedServiceSchema)
            .extend({ corrected_query: correctedField })
            .openapi("FoundServices"),
        ),
        ...notModified,
      },
    }),
    async (c) => {
      const query = c.req.valid("query");
      const found = await search(db, markets.services, query, (q) =>
        readServicePage(db, { ...query, q }, config),
      );
      return answers.give(c, "services", found);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/marketplace/agents",
      operationId: "searchAgents",
      tags: ["marketplace"],
      summary: "Search the agents on offer",
      middleware: answers.serve,
      request: { query: agentsQuery, headers: ifNoneMatchHeader },
      responses: {
        200: answer(
          "A page of agents",
          pageSchema(agentSchema).extend({ corrected_query: correctedField }).openapi("FoundAgents"),
        ),
        ...notModified,
      },
    }),
    async (c) => {
      const query = c.req.valid("query");
      const found = await search(db, markets.agents, query, (q) => {
        const asked = { ...query, q };
        const wanted = and(
          markets.agents.shown,
          q ? matches(markets.agents, q) : undefined,
          query.skill ? sql`(${agent.capabilities} -> 'skills') ? ${normaliseSkill(query.skill)}` : undefined,
          query.language
            ? sql`(${agent.capabilities} -> 'languages') ? ${canonicalLanguage(query.language) ?? query.language}`
            : undefined,
          query.verified ? arrayContains(agent.verified, query.verified) : undefined,
          reputeConditions(agent, query),
        );
        const ordering = orderingOf(markets.agents, asked);
        return readPage(ordering, query, {
          select: (slice) =>
            db
              .select({ ...agentSelection, ...pageSelection })
              .from(agent)
              .innerJoin(pickPage(markets.agents, asked, wanted, slice), sql`page.id = ${agent.id}`)
              .orderBy(sql`page.place`),
          count: (page) => countWith(page, ordering, () => countRows(db, agent, wanted)),
          present: (row) => presentAgent(row),
        });
      });
      return answers.give(c, "agents", found);
    },
  );
}

/** Reads a page, and where nothing at all fits the search, that of the corrected one. */
async function search<Page extends { total: number }>(
  db: Database,
  market: Market,
  { q }: { q?: string | undefined },
  read: (q: string | undefined) => Promise<Page>,
): Promise<Page & { corrected_query: string | null }> {
  if (q) await requireFindable(db, q);
  const found = await read(q);
  if (!q || found.total > 0) return { ...found, corrected_query: null };
  const corrected = await correctSearch(db, market, q);
  const mended = corrected === null ? null : await read(corrected);
  return mended && mended.total > 0
    ? { ...mended, corrected_query: corrected }
    : { ...found, corrected_query: null };
}

const pageSelection = {
  position: sql<string>`page.position`,
  total: sql<number | null>`page.total`,
};

/** By relevance all matches were looked up for the page, which then tells their number unless it is empty. */
async function countWith(
  page: Promise<{ total: number | null }[]>,
  ordering: Ordering,
  count: () => Promise<Total>,
): Promise<Total> {
  const total = ordering === byRelevance ? ((await page)[0]?.total ?? null) : null;
  return total === null ? count() : totalOf(total);
}

/**
 * The rows of a page by `id`, with their `position` and `place`, to be joined. The page is picked before anything is
 * joined to it, or all that matches would be.
 */
function pickPage(market: Market, query: PageQuery & Sorted, wanted: SQL | undefined, slice: PageSlice): SQL {
  const relevant = orderingOf(market, query) === byRelevance;
  const picked = relevant
    ? sql`select candidate.id, candidate.total, ${slice.position} as position
        from ${rankCandidates(market, query.q ?? "", wanted, restOf(query, slice))}
        where ${slice.after ?? sql`true`}`
    : sql`select ${market.id} as id, null::int as total, ${slice.position} as position from ${market.table}
        where ${and(wanted, slice.after) ?? sql`true`}`;
  return sql`(
    select picked.*, row_number() over () as place from (
      ${picked} order by ${sql.join(slice.order, sql`, `)} limit ${slice.limit} offset ${slice.offset}
    ) as picked) as page`;
}

/** What a page may hold of the matches that are not ranked: nothing as long as the ranked ones fill it. */
function restOf({ cursor }: PageQuery, { offset, limit }: PageSlice) {
  const most = offset + limit;
  if (cursor === undefined) return most > ranked ? { condition: undefined, most } : null;
  const [rank, ...position] = readCursor(byRelevance, cursor);
  const condition = rank === "0" ? afterPosition(unrankedOrder, position) : undefined;
  return { condition, most };
}
