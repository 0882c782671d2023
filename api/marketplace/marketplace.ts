import { createRoute, z } from "@hono/zod-openapi";
import { agentSchema } from "../agents/agent.ts";
import { verifiedQuery } from "../agents/verified-proofs.ts";
import type { Context } from "../context.ts";
import { ifNoneMatchHeader, notModified } from "../http/etag.ts";
import { queryText } from "../http/fields.ts";
import { pageQuery, pageSchema } from "../http/listing.ts";
import { jsonResponse } from "../http/openapi.ts";
import { listedServiceSchema } from "../services/service.ts";
import type { App } from "../variables.ts";
import { readAgentPage } from "./agent-search.ts";
import { figureQuery } from "./figure-filters.ts";
import { findServices, searchCorrected, servicesQuery, sortDescription } from "./found-services.ts";
import { correctedField, searchedMarkets, searchField } from "./search-words.ts";

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
        200: jsonResponse(
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
        return { shown: await findServices(from, c.req.valid("query"), config) };
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
        200: jsonResponse(
          "A page of agents",
          pageSchema(agentSchema).extend({ corrected_query: correctedField }).openapi("FoundAgents"),
        ),
        ...notModified,
      },
    }),
    (c) =>
      answers.give(c, async (from) => {
        const query = c.req.valid("query");
        const shown = await searchCorrected(from, searchedMarkets.agents, query, (q) =>
          readAgentPage(from, { ...query, q }),
        );
        return { shown };
      }),
  );
}
