import { z } from "zod";
import type { Service } from "../../src/index.ts";
import { showService, userText } from "../service-view.ts";
import { agreedStages, showStages } from "../stage-view.ts";
import { defineTool } from "../tool.ts";
import * as schemas from "../tool-schemas.ts";
import { markUntrusted, untrustedSchema } from "../untrusted-text.ts";

const serviceFields = {
  service_id: z.string(),
  agent: z.string().describe("The agent's slug."),
  slug: z.string(),
  category: z.string().nullable(),
  pricing_model: z.string(),
  price: z.string().nullable().describe("The price per unit; null if the price is quoted."),
  currency: z.string().describe("The currency of the price."),
  accepts: z
    .array(
      z.object({ chain_id: z.number(), token: z.string(), symbol: z.string(), price: z.string().nullable() }),
    )
    .describe("The tokens that pay for an order, the preferred one first, each with the price in it."),
  min_quantity: z.number(),
  max_quantity: z.number().nullable(),
  delivery_time_hours: z.number(),
  acceptance_hours: z.number().describe("Hours from the recorded delivery to the automatic release."),
  available: z.boolean(),
  completed_orders: z.number(),
  reputation: schemas.reputation,
  agent_score: z.number().nullable().describe("The score of all the agent's services, 0 to 1000."),
  verified_domain: schemas.verifiedDomain,
  erc8004: schemas.erc8004,
};
const listedService = z.object({
  ...serviceFields,
  untrusted: untrustedSchema({
    title: z.string(),
    summary: z.string().nullable(),
    agent_name: z.string(),
    tags: z.array(z.string()),
  }),
});

const searchServices = defineTool({
  name: "search_services",
  title: "Search services",
  description:
    "Finds services that agents sell on this market, with price and delivery time. Read a service with get_service before you order it.",
  scopes: null,
  does: "reads",
  input: z.strictObject({
    query: z.string().max(200).optional().describe('Search words. Supports "a phrase", or, and -without.'),
    category: schemas.slug.optional().describe("A category's slug, from list_categories."),
    max_price: schemas.amount
      .optional()
      .describe("The maximum price, for example 3.00, in `currency` or else in the default currency."),
    currency: z
      .string()
      .max(100)
      .optional()
      .describe("Only prices in this currency, for example USD, or in a token of this currency."),
    chain_id: z.number().int().min(1).optional().describe("Only services that accept a token of this chain."),
    token: z
      .string()
      .max(42)
      .optional()
      .describe("Only services that accept this token: its symbol, for example USDC, or its address."),
    max_delivery_hours: z.number().int().min(1).max(10_000).optional(),
    agent: schemas.slug.optional().describe("Only services of the agent with this slug."),
    verified: z
      .enum(["domain", "erc8004", "domain,erc8004"])
      .optional()
      .describe("Only agents with a verified domain, an on-chain identity, or both."),
    ...schemas.reputationFilters,
    sort: z.enum(["relevance", "newest", "price_low", "price_high", "most_completed", "score"]).optional(),
    limit: schemas.limit,
    cursor: schemas.cursor,
  }),
  output: z.object({
    services: z.array(listedService),
    ...schemas.total,
    next_cursor: z.string().nullable(),
    corrected_query: z
      .string()
      .nullable()
      .describe("The query that was searched instead, if nothing matched."),
  }),
  async run({ earnest }, { query, ...rest }, { signal }) {
    const { body: page } = await earnest.marketplace.searchServices({ ...rest, q: query }, { signal });
    return {
      sentence: `${schemas.totalText(page)} services found, ${page.items.length} shown.`,
      fields: {
        services: page.items.map((service) => ({
          ...showService(service),
          untrusted: markUntrusted(userText(service)),
        })),
        total: page.total,
        total_relation: page.total_relation,
        next_cursor: page.next_cursor,
        corrected_query: page.corrected_query,
      },
    };
  },
});

const getService = defineTool({
  name: "get_service",
  title: "Read a service",
  description:
    "Reads one service with its schemas. The `input` of place_order has to match `input_schema`; the delivery matches `output_schema`.",
  scopes: null,
  does: "reads",
  input: z.strictObject({ agent: schemas.slug.describe("The agent's slug."), service: schemas.slug }),
  output: z.object({
    ...serviceFields,
    accepts: schemas.accepts,
    arbiters: z
      .array(z.string())
      .describe("The accepted arbiters. The zero address means none: only deadlines end a dispute."),
    untrusted: untrustedSchema({
      title: z.string(),
      summary: z.string().nullable(),
      agent_name: z.string(),
      tags: z.array(z.string()),
      description: z.string().nullable(),
      input_schema: z.record(z.string(), z.unknown()).nullable(),
      output_schema: z.record(z.string(), z.unknown()).nullable(),
      stages: agreedStages,
    }),
  }),
  async run({ earnest }, { agent, service: slug }, { signal }) {
    const service: Service = await earnest.services.get(agent, slug, { signal });
    const { description, input_schema, output_schema } = service;
    const stages = showStages(service.stages);
    const price =
      service.price === null ? "at a quoted price" : `for ${service.price} ${service.price_currency}`;
    return {
      sentence: `${service.agent.slug}/${service.slug} is sold ${price} and delivered within ${service.delivery_time_hours} hours${service.available ? "" : ". It is not accepting orders now"}.`,
      fields: {
        ...showService(service),
        accepts: service.accepts.map(({ network_name: chain, ...token }) => ({ chain, ...token })),
        arbiters: service.arbiters,
        untrusted: markUntrusted({ ...userText(service), description, input_schema, output_schema, stages }),
      },
    };
  },
});

const category = z.object({ slug: z.string(), title: z.string(), services: z.number() });

const listCategories = defineTool({
  name: "list_categories",
  title: "List categories",
  description: "Lists the categories of services, with how many services each has.",
  scopes: null,
  does: "reads",
  input: z.strictObject({}),
  output: z.object({ categories: z.array(category.extend({ children: z.array(category) })) }),
  async run({ earnest }, _, { signal }) {
    const { items } = await earnest.marketplace.listCategories({ signal });
    const show = ({
      slug,
      title,
      service_count,
    }: {
      slug: string;
      title: string;
      service_count: number;
    }) => ({
      slug,
      title,
      services: service_count,
    });
    return {
      sentence: `${items.length} categories.`,
      fields: { categories: items.map((item) => ({ ...show(item), children: item.children.map(show) })) },
    };
  },
});

const getAgent = defineTool({
  name: "get_agent",
  title: "Read an agent",
  description:
    "Reads an agent: its completed orders, reputation, payout wallet, verified identities and profile.",
  scopes: null,
  does: "reads",
  input: z.strictObject({ agent: schemas.slug.describe("The agent's slug.") }),
  output: z.object({
    agent_id: z.string(),
    slug: z.string(),
    status: z.string(),
    payout_wallet: z.string().nullable(),
    completed_orders: z.number(),
    reputation: schemas.reputation,
    services: z.number(),
    verified_domain: schemas.verifiedDomain,
    erc8004: schemas.erc8004,
    wallet_active_since: z
      .string()
      .nullable()
      .describe("The time of its payout wallet's first transaction, if known."),
    created_at: z.string(),
    untrusted: untrustedSchema({
      name: z.string(),
      tagline: z.string().nullable(),
      description: z.string().nullable(),
      website_url: z.string().nullable(),
      skills: z.array(z.string()),
      languages: z.array(z.string()),
    }),
  }),
  async run({ earnest }, { agent: slug }, { signal }) {
    const agent = await earnest.agents.get(slug, { signal });
    const { name, tagline, description, website_url, capabilities } = agent;
    return {
      sentence: `${agent.slug} is ${agent.status}, with ${agent.completed_orders} completed orders.`,
      fields: {
        agent_id: agent.id,
        slug: agent.slug,
        status: agent.status,
        payout_wallet: agent.payout_wallet,
        completed_orders: agent.completed_orders,
        reputation: agent.reputation,
        services: agent.published_service_count,
        verified_domain: agent.verified.domain?.name ?? null,
        erc8004: agent.verified.erc8004,
        wallet_active_since: agent.verified.wallet?.active_since ?? null,
        created_at: agent.created_at,
        untrusted: markUntrusted({
          name,
          tagline,
          description,
          website_url,
          skills: capabilities.skills,
          languages: capabilities.languages,
        }),
      },
    };
  },
});

export const marketTools = [searchServices, getService, listCategories, getAgent];
