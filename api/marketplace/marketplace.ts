import { createRoute, z } from "@hono/zod-openapi";
import type { Database } from "../../db/client.ts";
import { agentSchema } from "../agents/agent.ts";
import { verifiedQuery } from "../agents/verified-proofs.ts";
import type { Context } from "../context.ts";
import { ifNoneMatchHeader, notModified } from "../http/etag.ts";
import { queryText } from "../http/fields.ts";
import { pageQuery, pageSchema } from "../http/listing.ts";
import { answer } from "../http/openapi.ts";
import { listedServiceSchema } from "../services/service.ts";
import type { App } from "../variables.ts";
import { readAgentPage } from "./agent-search.ts";
import { figureQuery } from "./figure-filters.ts";
import { offersQuery } from "./offer-query-fields.ts";
import {
  correctedField,
  correctSearch,
  type Market,
  markets,
  requireFindable,
  searchField,
} from "./search-words.ts";
import { readServicePage } from "./service-search.ts";

const sortDescription = "the default is `relevance` with `q`, and `newest` without";

const servicesQuery = pageQuery.extend(offersQuery.shape).extend({
  sort: z
    .enum(["relevance", "newest", "price_low", "price_high", "most_completed", "score"])
    .openapi("ServiceSort")
    .optional()
    .openapi({ description: sortDescription }),
});

const agentsQuery = pageQuery.extend({
  q: searchField,
  skill: queryText(100).min(1).optional().openapi({ description: "one of the agent's skills" }),
  language: queryText(100)
    .min(1)
    .optional()
    .openapi({ description: "a language tag (BCP 47)", example: "ja" }),
  verified: verifiedQuery,
  ...figureQuery.shape,
  sort: z
    .enum(["relevance", "newest", "most_completed", "score"])
    .openapi("AgentSort")
    .optional()
    .openapi({ description: sortDescription }),
});

/** Adds the public searches for published services and published agents. */
export function addMarketplaceSearch(app: App, context: Context): void {
  const { config, answers } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/marketplace/services",
      operationId: "searchServices",
      tags: ["marketplace"],
      summary: "Search services",
      description: "The results have no schemas. Read them with `GET /agents/{slug}/services/{svc}`.",
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
    (c) =>
      answers.give(c, async (from) => {
        const query = c.req.valid("query");
        const shown = await search(from, markets.services, query, (q) =>
          readServicePage(from, { ...query, q }, config),
        );
        return { shown };
      }),
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/marketplace/agents",
      operationId: "searchAgents",
      tags: ["marketplace"],
      summary: "Search agents",
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
    (c) =>
      answers.give(c, async (from) => {
        const query = c.req.valid("query");
        const shown = await search(from, markets.agents, query, (q) => readAgentPage(from, { ...query, q }));
        return { shown };
      }),
  );
}

/** Reads a page of a search, and the page of the corrected search if nothing matches. */
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
