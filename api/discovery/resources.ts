import { LRUCache } from "lru-cache";
import { z } from "zod";
import { readNow } from "../../db/chain-index.ts";
import { count, desc, eq } from "../../db/drizzle.ts";
import { agent, offer, service } from "../../db/schema.ts";
import { facilitatorPath } from "../../protocol/settlement/vocabulary.ts";
import { Refusal } from "../../trade/refusal.ts";
import { offerColumns, type ServiceWithAgent } from "../../trade/services/sale.ts";
import type { Context } from "../context.ts";
import { parseAs } from "../http/api-error.ts";
import { askForPrice } from "../payments/purchase-terms.ts";
import type { App } from "../variables.ts";
import { isBuyable } from "./purchase-index.ts";

/** The most services of a page: each needs the payment requirements of all its tokens. */
const mostListed = 50;
/** How many pages are cached, and for how many milliseconds. */
const cached = { max: 20, ttl: 60_000 };

const querySchema = z.strictObject({
  type: z.string().max(20).default("http"),
  limit: z.coerce.number().int().min(1).max(mostListed).default(20),
  offset: z.coerce.number().int().min(0).max(10_000).default(0),
  scheme: z.string().max(20).optional(),
  network: z.string().max(40).optional(),
});
type Query = z.output<typeof querySchema>;

/** A service in the form of x402's extension `bazaar`. */
type Resource = Awaited<ReturnType<typeof describe>>;

/**
 * Adds the services that one request can buy as x402's Bazaar lists resources (`GET /discovery/resources`). Services
 * with the most completed orders come first. `scheme` and `network` filter a page's payment requirements.
 */
export function addResources(app: App, context: Context): void {
  const pages = new LRUCache<string, { items: Resource[]; total: number }>({
    ...cached,
    fetchMethod: (place) => readPage(context, place),
  });

  for (const path of ["/discovery/resources", `${facilitatorPath}/discovery/resources`]) {
    app.get(path, async (c) => {
      const query = parseAs(querySchema, c.req.query(), "The query is invalid.");
      const { limit, offset } = query;
      const page = query.type === "http" ? await pages.fetch(`${limit} ${offset}`) : undefined;
      const { items, total } = page ?? { items: [], total: 0 };
      c.header("Cache-Control", "public, max-age=60");
      return c.json({ x402Version: 2, items: select(items, query), pagination: { limit, offset, total } });
    });
  }
}

/** Keeps the requirements that a filter wants, and the services that have some. */
function select(items: readonly Resource[], { scheme, network }: Query): Resource[] {
  if (scheme === undefined && network === undefined) return [...items];
  return items
    .map((item) => ({
      ...item,
      accepts: item.accepts.filter(
        (one) => one.scheme === (scheme ?? one.scheme) && one.network === (network ?? one.network),
      ),
    }))
    .filter(({ accepts }) => accepts.length > 0);
}

async function readPage(context: Context, place: string) {
  const [limit = 0, offset = 0] = place.split(" ").map(Number);
  const { db } = context;
  const buyable = isBuyable(context.config);
  if (!buyable) return { items: [], total: 0 };
  const [rows, [counted]] = await Promise.all([
    db
      .select(offerColumns)
      .from(offer)
      .innerJoin(service, eq(service.id, offer.serviceId))
      .innerJoin(agent, eq(agent.id, offer.agentId))
      .where(buyable)
      .orderBy(desc(offer.completedOrders), desc(offer.serviceId))
      .limit(limit)
      .offset(offset),
    db
      .select({ total: count() })
      .from(offer)
      .innerJoin(service, eq(service.id, offer.serviceId))
      .where(buyable),
  ]);
  const nows = new Map<number, Promise<bigint>>();
  const nowOf = (chainId: number) => {
    const now = nows.get(chainId) ?? readNow(db, chainId);
    nows.set(chainId, now);
    return now;
  };
  const items: Resource[] = [];
  for (const row of rows) {
    // A service without a token that can pay now is left out of its page.
    const item = await describe(context, row, nowOf).catch((error: unknown) => {
      if (error instanceof Refusal) return null;
      throw error;
    });
    if (item) items.push(item);
  }
  return { items, total: counted?.total ?? 0 };
}

async function describe(
  context: Context,
  row: ServiceWithAgent,
  nowOf: (chainId: number) => Promise<bigint>,
) {
  const { document } = await askForPrice(context, row, nowOf);
  const { url, description, mimeType, serviceName } = document.resource;
  return {
    ...{ resource: url, type: "http", x402Version: 2, accepts: document.accepts },
    lastUpdated: row.service.updatedAt.toISOString(),
    ...{ description, mimeType, serviceName, tags: row.service.tags.slice(0, 5) },
    extensions: document.extensions ?? {},
  };
}
