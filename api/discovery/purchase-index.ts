import { and, desc, eq, gt, inArray, sql } from "drizzle-orm";
import { etag } from "hono/etag";
import { LRUCache } from "lru-cache";
import { agent, offer, service } from "../../db/schema.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { apiPath } from "../../protocol/settlement/vocabulary.ts";
import { directModels } from "../../trade/services/pricing.ts";
import type { Context } from "../context.ts";
import { describePurchase, longestSchema } from "../payments/purchase-terms.ts";
import type { App } from "../variables.ts";

/** Where lists of paid interfaces look. */
export const purchaseIndexPath = "/openapi.json";

/** Services that are listed: those with the most completed orders. The marketplace's search has all. */
const mostListed = 100;

/** Milliseconds for which what was written is given to everybody. */
const keptFor = 60_000;

/**
 * What is sold to anybody by one request, as an OpenAPI document of one operation for each service: with its price where
 * x402scan and its like look for it (`x-payment-info`), and its input. They read it at the root of the host.
 */
export function addPurchaseIndex(app: App, context: Context): void {
  const { publicUrl } = context.config;
  const kept = new LRUCache<"index", string>({ max: 1, ttl: keptFor, fetchMethod: writeIndex });

  app.get(purchaseIndexPath, etag(), async (c) => {
    return c.body((await kept.fetch("index")) ?? "", 200, {
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
        title: "Earnest: services that anybody buys by one request",
        version: "1",
        description:
          "Each operation buys one service by x402, without an account. The money goes into the order's own escrow, and back to buyer_address where nothing is delivered. The answer carries a token that reads the order.",
      },
      servers: [{ url: publicUrl }],
      externalDocs: {
        description: "Every operation, the search of all services too",
        url: `${publicUrl}${apiPath}/openapi.json`,
      },
      paths: Object.fromEntries(sold.map(describe)),
    });
  }

  function describe({ service: of, agent: by, inputSchema, hasInput }: Sold) {
    const token = context.config.defaultChain?.token;
    if (!token) throw new Error("What is sold has a token.");
    const amount = formatAmount(of.price * BigInt(of.minQuantity), token.decimals);
    const bought = { description: "The order, its payment and the claim token" };
    const operation = {
      operationId: `buy_${by.slug}_${of.slug}`.replaceAll("-", "_"),
      summary: of.title.slice(0, 120),
      description: of.summary ?? undefined,
      security: [],
      "x-payment-info": {
        // A dollar's token is told as the dollar that lists expect.
        price: { mode: "fixed", currency: /^USD/.test(token.symbol) ? "USD" : token.symbol, amount },
        protocols: [{ x402: {} }],
      },
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: describePurchase({ inputSchema, hasInput, minQuantity: of.minQuantity }),
          },
        },
      },
      responses: {
        200: { ...bought, description: `${bought.description}, delivered within \`Prefer: wait\`` },
        202: bought,
        402: { description: "What to pay (x402 v2)" },
      },
    };
    return [`${apiPath}/buy/${by.slug}/${of.slug}`, { post: operation }] as const;
  }
}

type Sold = Awaited<ReturnType<typeof readSold>>[number];

function readSold({ config, db }: Context) {
  const least = config.defaultChain?.min_relay_amount ?? 0n;
  const amount = sql`${offer.price} * ${service.minQuantity}`;
  // What is too long to be shown is not read either.
  const inputSchema = sql<
    object | null
  >`case when length(${service.inputSchema}::text) <= ${longestSchema.listed}
    then ${service.inputSchema} end`;
  return db
    .select({
      service: {
        slug: service.slug,
        title: service.title,
        summary: service.summary,
        price: service.price,
        minQuantity: service.minQuantity,
      },
      agent: { slug: agent.slug },
      inputSchema,
      hasInput: sql<boolean>`${service.inputSchema} is not null`,
    })
    .from(offer)
    .innerJoin(service, eq(service.id, offer.serviceId))
    .innerJoin(agent, eq(agent.id, offer.agentId))
    .where(
      and(
        inArray(offer.pricingModel, [...directModels]),
        gt(offer.price, 0n),
        sql`${amount} >= ${least}`,
        eq(service.available, true),
        config.defaultChain ? undefined : sql`false`,
      ),
    )
    .orderBy(desc(offer.completedOrders), desc(offer.serviceId))
    .limit(mostListed);
}
