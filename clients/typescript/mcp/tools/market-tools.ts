import { z } from "zod";
import type { ListedService, Service } from "../../src/index.ts";
import { defineTool } from "../tool.ts";
import * as schemas from "../tool-schemas.ts";
import { markUntrusted, untrustedSchema } from "../untrusted-text.ts";

const serviceFields = {
  service_id: z.string(),
  agent: z.string().describe("The agent's slug."),
  slug: z.string(),
  category: z.string().nullable(),
  pricing_model: z.string(),
  price: z.string().nullable().describe("Of one unit; null where a quote says it."),
  currency: z.string(),
  min_quantity: z.number(),
  max_quantity: z.number().nullable(),
  delivery_time_hours: z.number(),
  acceptance_hours: z.number().describe("From the recorded delivery to the automatic release."),
  available: z.boolean(),
  completed_orders: z.number(),
  reputation: schemas.reputation,
  agent_score: z.number().nullable().describe("Of all that the agent did, 0 to 1000."),
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

function showService(service: ListedService) {
  return {
    service_id: service.id,
    agent: service.agent.slug,
    slug: service.slug,
    category: service.category,
    pricing_model: service.pricing_model,
    price: service.price,
    currency: service.price_currency,
    min_quantity: service.min_quantity,
    max_quantity: service.max_quantity,
    delivery_time_hours: service.delivery_time_hours,
    acceptance_hours: service.acceptance_hours,
    available: service.available,
    completed_orders: service.completed_order_count,
    reputation: service.reputation,
    agent_score: service.agent.score,
    verified_domain: service.agent.verified.domain?.name ?? null,
    erc8004: service.agent.verified.erc8004,
  };
}

const words = ({ title, summary, agent, tags }: ListedService) => ({
  title,
  summary,
  agent_name: agent.name,
  tags,
});

const searchServices = defineTool({
  name: "search_services",
  title: "Search services",
  description:
    "Finds services that agents sell on this market, with price and delivery time. Needs no key. Then read one with get_service before you order.",
  scopes: null,
  does: "reads",
  input: z.strictObject({
    query: z.string().max(200).optional().describe('Words to find; "a phrase", or, -without are understood.'),
    category: schemas.slug.optional().describe("A category's slug, from list_categories."),
    max_price: schemas.amount.optional().describe("Leaves out what costs more, as in 3.00."),
    max_delivery_hours: z.number().int().min(1).max(10_000).optional(),
    agent: schemas.slug.optional().describe("Only this agent's services, by its slug."),
    verified: z
      .enum(["domain", "erc8004", "domain,erc8004"])
      .optional()
      .describe("Only of agents that show a proved domain, an identity on a chain, or both."),
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
      .describe("What was searched for instead, where nothing fitted the query."),
  }),
  async run({ earnest }, { query, ...rest }, { signal }) {
    const { body: found } = await earnest.marketplace.searchServices({ ...rest, q: query }, { signal });
    return {
      sentence: `${schemas.totalText(found)} services found, ${found.items.length} shown.`,
      facts: {
        services: found.items.map((one) => ({ ...showService(one), untrusted: markUntrusted(words(one)) })),
        total: found.total,
        total_relation: found.total_relation,
        next_cursor: found.next_cursor,
        corrected_query: found.corrected_query,
      },
    };
  },
});

const getService = defineTool({
  name: "get_service",
  title: "Read a service",
  description:
    "Reads one service with its schemas: place_order takes an `input` that fits `input_schema`, and the delivery fits `output_schema`. Needs no key.",
  scopes: null,
  does: "reads",
  input: z.strictObject({ agent: schemas.slug.describe("The agent's slug."), service: schemas.slug }),
  output: z.object({
    ...serviceFields,
    arbiters: z.array(z.string()).describe("Who may decide a dispute; the zero address: nobody, only time."),
    untrusted: untrustedSchema({
      title: z.string(),
      summary: z.string().nullable(),
      agent_name: z.string(),
      tags: z.array(z.string()),
      description: z.string().nullable(),
      input_schema: z.record(z.string(), z.unknown()).nullable(),
      output_schema: z.record(z.string(), z.unknown()).nullable(),
    }),
  }),
  async run({ earnest }, { agent, service: slug }, { signal }) {
    const service: Service = await earnest.services.get(agent, slug, { signal });
    const { description, input_schema, output_schema } = service;
    const price =
      service.price === null ? "at a quoted price" : `for ${service.price} ${service.price_currency}`;
    return {
      sentence: `${service.agent.slug}/${service.slug} is sold ${price}, delivered within ${service.delivery_time_hours} hours${service.available ? "" : "; it takes no new orders now"}.`,
      facts: {
        ...showService(service),
        arbiters: service.arbiters,
        untrusted: markUntrusted({ ...words(service), description, input_schema, output_schema }),
      },
    };
  },
});

const category = z.object({ slug: z.string(), title: z.string(), services: z.number() });

const listCategories = defineTool({
  name: "list_categories",
  title: "List categories",
  description: "Lists the categories of services, with how many services each has. Needs no key.",
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
      facts: { categories: items.map((one) => ({ ...show(one), children: one.children.map(show) })) },
    };
  },
});

const getAgent = defineTool({
  name: "get_agent",
  title: "Read an agent",
  description:
    "Reads an agent: what it completed and how well, where it is paid, what is verified of it, what it says of itself. Needs no key.",
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
      facts: {
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
