import { createRoute, z } from "@hono/zod-openapi";
import { publicationStatuses } from "../../db/schema.ts";
import { agentReference } from "../agents/agent.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import type { Scope } from "../http/caller.ts";
import { amountField, currencyField, idField, queryText, timeField } from "../http/fields.ts";
import { accessRule, jsonResponse } from "../http/openapi.ts";
import { readAgentPage } from "../marketplace/agent-search.ts";
import { hasSoughtWord } from "../marketplace/search-words.ts";
import { readServicePage } from "../marketplace/service-search.ts";
import {
  orderedAgentField,
  orderedServiceField,
  orderStatusField,
  partyField,
  referenceField,
} from "../orders/order-fields.ts";
import { serviceReference } from "../services/service.ts";
import type { App } from "../variables.ts";
import { findOwnAgents, findOwnOrders, findOwnServices } from "./own-hits.ts";

/** The most hits of each kind. */
const most = 5;

const statusField = z.enum(publicationStatuses).openapi("ListingStatus");

const hitsSchema = z
  .object({
    orders: z.array(
      z
        .object({
          id: idField("ord"),
          reference: referenceField,
          status: orderStatusField,
          your_role: partyField,
          service: orderedServiceField,
          agent: orderedAgentField,
          total_amount: amountField,
          currency: currencyField,
          created_at: timeField,
        })
        .openapi("FoundOrder"),
    ),
    agents: z
      .array(agentReference.extend({ status: statusField }).openapi("FoundOwnAgent"))
      .openapi({ description: "your agents" }),
    services: z
      .array(
        serviceReference.extend({ agent: agentReference, status: statusField }).openapi("FoundOwnService"),
      )
      .openapi({ description: "your services" }),
    market_agents: z.array(agentReference).openapi({ description: "published agents, most relevant first" }),
    market_services: z
      .array(serviceReference.extend({ agent: agentReference }).openapi("FoundMarketService"))
      .openapi({ description: "published services, most relevant first" }),
  })
  .openapi("SearchHits");

/** Adds the search of everything that a person may want to open. */
export function addSearch(app: App, context: Context): void {
  const { db, config } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/search",
      operationId: "searchAll",
      tags: ["marketplace"],
      summary: "Search your orders, agents and services, and the market",
      description: `Finds at most ${most} of each kind. A key finds orders with the scope orders:read, its agents with agents:read and its services with services:read; without the scope, the list is empty.`,
      ...accessRule(context, "any"),
      request: {
        query: z.object({
          q: queryText(200).min(1).openapi({
            description: "an order's id, the beginning of its reference, or words",
            example: "E-7K3M9Q",
          }),
        }),
      },
      responses: { 200: jsonResponse("The hits", hitsSchema) },
    }),
    async (c) => {
      const { q } = c.req.valid("query");
      const { accountId, scopes } = callerOf(c);
      const ifMay = async <Hit>(scope: Scope, find: () => Promise<Hit[]>): Promise<Hit[]> =>
        scopes === null || scopes.includes(scope) ? find() : [];
      const own = { accountId, q, most };
      const page = { limit: most, offset: 0 };
      // The kinds follow each other, so that one search takes few connections of the pool.
      const [mine, market] = await Promise.all([
        (async () => ({
          orders: await ifMay("orders:read", () => findOwnOrders(db, own)),
          agents: await ifMay("agents:read", () => findOwnAgents(db, own)),
          services: await ifMay("services:read", () => findOwnServices(db, own)),
        }))(),
        (async () => {
          if (!(await hasSoughtWord(db, q))) return { agents: [], services: [] };
          const agents = await readAgentPage(db, { q, ...page });
          const services = await readServicePage(db, { q, ...page }, config);
          return { agents: agents.items, services: services.items };
        })(),
      ]);
      return c.json(
        {
          ...mine,
          market_agents: market.agents.map(({ id, slug, name }) => ({ id, slug, name })),
          market_services: market.services.map(({ id, slug, title, agent }) => ({
            id,
            slug,
            title,
            agent: { id: agent.id, slug: agent.slug, name: agent.name },
          })),
        },
        200,
      );
    },
  );
}
