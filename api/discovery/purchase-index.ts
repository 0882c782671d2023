import { etag } from "hono/etag";
import { LRUCache } from "lru-cache";
import type { Config } from "../../config/config.ts";
import { desc, eq, gt, inArray, type SQL, sql } from "../../db/drizzle.ts";
import { agent, offer, service } from "../../db/schema.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { leastRelayed } from "../../trade/services/payment-token.ts";
import { comparedCurrency } from "../../trade/services/price-currency.ts";
import { directModels, isSoldToAnybody, pricingToken } from "../../trade/services/pricing.ts";
import type { Context } from "../context.ts";
import { describePurchase, longestSchema } from "../payments/purchase-terms.ts";
import type { App } from "../variables.ts";

/** The path that directories of paid APIs read. */
export const purchaseIndexPath = "/openapi.json";

/** The most listed services. Those with the most completed orders are listed; the marketplace's search has all. */
const mostListed = 100;

/** Milliseconds for which the document is cached. */
const cacheMilliseconds = 60_000;

/**
 * Adds an OpenAPI document of all services that one request can buy. Each operation has its input, and its price in
 * `x-payment-info`, where directories such as x402scan look.
 */
export function addPurchaseIndex(app: App, context: Context): void {
  const { publicUrl } = context.config;
  const cache = new LRUCache<"index", string>({ max: 1, ttl: cacheMilliseconds, fetchMethod: writeIndex });

  app.get(purchaseIndexPath, etag(), async (c) => {
    return c.body((await cache.fetch("index")) ?? "", 200, {
      "Content-Type": "application/json",
      "Cache-Control": "public, max-age=60",
      "Access-Control-Allow-Origin": "*",
    });
  });

  async function writeIndex(): Promise<string> {
    const sold = await readSold(context);
    return JSON.stringify({
      openapi: "3.1.0",
      info: {
        title: "Earnest: services that anybody can buy with one request",
        version: "1",
        description:
          "Each operation buys one service by x402, without an account. The money goes into an escrow of the order. If nothing is delivered, it goes back to buyer_address. The answer has a token that can read the order.",
      },
      servers: [{ url: publicUrl }],
      externalDocs: {
        description: "All operations, with the search of all services",
        url: `${publicUrl}${apiPath}/openapi.json`,
      },
      paths: Object.fromEntries(sold.map(describe)),
    });
  }

  function describe({ service: offered, agent: seller, inputSchema, hasInput }: Sold) {
    const { decimals } = pricingToken(context.config);
    const amount = formatAmount(offered.price * BigInt(offered.minQuantity), decimals);
    const currency = comparedCurrency(context.config, offered.priceCurrency);
    const bought = { description: "The order, its payment and the claim token" };
    const operation = {
      operationId: `buy_${seller.slug}_${offered.slug}`.replaceAll("-", "_"),
      summary: offered.title.slice(0, 120),
      description: offered.summary ?? undefined,
      security: [],
      "x-payment-info": {
        price: { mode: "fixed", currency, amount },
        protocols: [{ x402: {} }],
      },
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: describePurchase({ ...offered, inputSchema, hasInput }),
          },
        },
      },
      responses: {
        200: { ...bought, description: `${bought.description}, delivered within \`Prefer: wait\`` },
        202: bought,
        402: { description: "What to pay (x402 v2)" },
      },
    };
    return [`${apiPath}/buy/${seller.slug}/${offered.slug}`, { post: operation }] as const;
  }
}

type Sold = Awaited<ReturnType<typeof readSold>>[number];

/** The condition on offers and their services that one request can buy; null if no chain is configured. */
export function isBuyable({ defaultChain, chains }: Config): SQL | null {
  if (!defaultChain) return null;
  const amounts = chains.map((chain) => leastRelayed(chain, defaultChain.token));
  const least = amounts.reduce((lower, amount) => (amount < lower ? amount : lower));
  return sql`${inArray(offer.pricingModel, [...directModels])} and ${gt(offer.price, 0n)}
    and ${offer.price} * ${service.minQuantity} >= ${least} and ${eq(service.available, true)}`;
}

async function readSold({ config, db }: Context) {
  const buyable = isBuyable(config);
  if (!buyable) return [];
  // A schema that is too long to be listed is not read.
  const inputSchema = sql<
    object | null
  >`case when length(${service.inputSchema}::text) <= ${longestSchema.listed}
    then ${service.inputSchema} end`;
  const found = await db
    .select({
      service: {
        slug: service.slug,
        title: service.title,
        summary: service.summary,
        status: service.status,
        pricingModel: service.pricingModel,
        price: service.price,
        priceCurrency: service.priceCurrency,
        accepts: service.accepts,
        minQuantity: service.minQuantity,
        maxQuantity: service.maxQuantity,
      },
      agent: { slug: agent.slug },
      inputSchema,
      hasInput: sql<boolean>`${service.inputSchema} is not null`,
    })
    .from(offer)
    .innerJoin(service, eq(service.id, offer.serviceId))
    .innerJoin(agent, eq(agent.id, offer.agentId))
    .where(buyable)
    .orderBy(desc(offer.completedOrders), desc(offer.serviceId))
    .limit(mostListed);
  // A service is not sold while none of its tokens is offered.
  return found.filter((row) => isSoldToAnybody(row.service, config));
}
