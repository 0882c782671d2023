import { LRUCache } from "lru-cache";
import { zeroAddress } from "viem";
import { z } from "zod";
import { readNow } from "../../db/chain-index.ts";
import { and, count, desc, eq, inArray, type SQL, sql } from "../../db/drizzle.ts";
import { agent, offer, service } from "../../db/schema.ts";
import { facilitatorPath } from "../../protocol/settlement/vocabulary.ts";
import { Refusal } from "../../trade/refusal.ts";
import { offerColumns, type ServiceWithAgent } from "../../trade/services/service-on-sale.ts";
import type { Context } from "../context.ts";
import { parseAs } from "../http/api-error.ts";
import { countedRows } from "../http/listing.ts";
import { findServices, servicesQuery } from "../marketplace/found-services.ts";
import { askForPrice } from "../payments/purchase-terms.ts";
import type { App } from "../variables.ts";
import { isBuyable } from "./purchase-index.ts";

/** The most services of a page: each needs the payment requirements of all its tokens. */
const mostListed = 50;
/** The most services of a search's page. */
const mostFound = 20;
/** How many pages and searches are cached, and for how many milliseconds. */
const cached = { max: 20, ttl: 60_000, ignoreFetchAbort: true };
const cachedSearches = { ...cached, max: 100 };

/** The filters of a list and of a search. `payTo` finds nothing, because each order has an address of its own. */
const filters = {
  type: z.string().max(20).default("http"),
  payTo: z.string().max(100).optional(),
  scheme: z.string().max(20).optional(),
  network: z.string().max(40).optional(),
  extensions: z.string().max(100).optional(),
};

const listSchema = z.strictObject({
  ...filters,
  limit: z.coerce.number().int().min(1).max(mostListed).default(20),
  offset: z.coerce.number().int().min(0).max(10_000).default(0),
});

const searchSchema = z.strictObject({
  ...filters,
  query: z.string().trim().min(1).max(200),
  // The limit of a search is advice.
  limit: z.coerce.number().int().min(1).max(1000).default(20),
  cursor: z.string().max(1000).optional(),
});

type Filters = Pick<z.output<typeof listSchema>, keyof typeof filters>;

/** A service in the form of x402's extension `bazaar`. */
type Resource = Awaited<ReturnType<typeof describe>>;

/**
 * Adds the services that one request can buy as x402's Bazaar lists resources (`GET /discovery/resources`) and finds them
 * (`GET /discovery/search`). In the list, services with the most completed orders come first. `scheme` and `network` filter
 * the payment requirements of a page.
 */
export function addBazaarResources(app: App, context: Context): void {
  const pages = new LRUCache<string, Resource[]>({
    ...cached,
    fetchMethod: (place) => readPage(context, place),
  });
  const totals = new LRUCache<"total", number>({
    ...cached,
    max: 1,
    fetchMethod: () => countBuyable(context),
  });
  const searches = new LRUCache<
    string,
    Awaited<ReturnType<typeof findResources>>,
    z.output<typeof searchSchema>
  >({
    ...cachedSearches,
    fetchMethod: (_key, _stale, { context: query }) => findResources(context, query),
  });

  for (const base of ["", facilitatorPath]) {
    app.get(`${base}/discovery/resources`, async (c) => {
      const query = parseAs(listSchema, c.req.query(), "The query is invalid.");
      const { limit, offset } = query;
      const items = canFind(query) ? ((await pages.fetch(`${limit} ${offset}`)) ?? []) : [];
      const total = canFind(query) ? ((await totals.fetch("total")) ?? 0) : 0;
      c.header("Cache-Control", "public, max-age=60");
      return c.json({ x402Version: 2, items: select(items, query), pagination: { limit, offset, total } });
    });

    app.get(`${base}/discovery/search`, async (c) => {
      const query = parseAs(searchSchema, c.req.query(), "The query is invalid.");
      const limit = Math.min(query.limit, mostFound);
      const key = JSON.stringify([query.query, limit, query.cursor, query.network]);
      const found = canFind(query) ? await searches.fetch(key, { context: { ...query, limit } }) : undefined;
      const { resources = [], next = null } = found ?? {};
      c.header("Cache-Control", "public, max-age=60");
      return c.json({
        x402Version: 2,
        resources: select(resources, query),
        partialResults: next !== null,
        pagination: { limit, cursor: next },
      });
    });
  }
}

/** Whether some service can match these filters. */
function canFind({ type, payTo }: Filters): boolean {
  return type === "http" && (payTo === undefined || payTo.toLowerCase() === zeroAddress);
}

/** Keeps the requirements that a filter wants, and the services that have some. */
function select(items: readonly Resource[], { scheme, network, extensions }: Filters): Resource[] {
  return items
    .filter((item) => extensions === undefined || extensions in item.extensions)
    .map((item) => ({
      ...item,
      accepts: item.accepts.filter(
        (one) => one.scheme === (scheme ?? one.scheme) && one.network === (network ?? one.network),
      ),
    }))
    .filter(({ accepts }) => accepts.length > 0);
}

/** Counts the listed services, up to a limit. */
async function countBuyable({ config, db }: Context): Promise<number> {
  const buyable = isBuyable(config);
  if (!buyable) return 0;
  const some = db
    .select({ one: sql`1` })
    .from(offer)
    .innerJoin(service, eq(service.id, offer.serviceId))
    .where(buyable)
    .limit(countedRows)
    .as("some");
  const [counted] = await db.select({ total: count() }).from(some);
  return counted?.total ?? 0;
}

/** Finds services by the search of the marketplace. Services that one request cannot buy are left out. */
async function findResources(
  context: Context,
  { query, limit, cursor, network }: z.output<typeof searchSchema>,
) {
  const { config, db } = context;
  const buyable = isBuyable(config);
  const chain = config.chains.find(({ chain_id }) => network === `eip155:${chain_id}`);
  if (!buyable || (network !== undefined && !chain)) return { resources: [], next: null };
  const asked = { q: query, limit: String(limit), cursor, chain_id: chain && String(chain.chain_id) };
  const sought = parseAs(servicesQuery, asked, "The query is invalid.");
  const { items, next_cursor: next } = await findServices(db, sought, config, "query");
  const ids = items.map(({ id }) => id);
  const rows = await selectBuyable(db, and(buyable, inArray(offer.serviceId, ids)));
  const found = ids.flatMap((id) => rows.filter((row) => row.service.id === id));
  return { resources: await describeAll(context, found), next };
}

const selectBuyable = (db: Context["db"], condition: SQL | undefined) =>
  db
    .select(offerColumns)
    .from(offer)
    .innerJoin(service, eq(service.id, offer.serviceId))
    .innerJoin(agent, eq(agent.id, offer.agentId))
    .where(condition);

async function readPage(context: Context, place: string): Promise<Resource[]> {
  const [limit = 0, offset = 0] = place.split(" ").map(Number);
  const buyable = isBuyable(context.config);
  if (!buyable) return [];
  const rows = await selectBuyable(context.db, buyable)
    .orderBy(desc(offer.completedOrders), desc(offer.serviceId))
    .limit(limit)
    .offset(offset);
  return describeAll(context, rows);
}

/** Describes services. A service without a token that can pay now is left out. */
async function describeAll(context: Context, rows: readonly ServiceWithAgent[]): Promise<Resource[]> {
  const nows = new Map<number, Promise<bigint>>();
  const nowOf = (chainId: number) => {
    const now = nows.get(chainId) ?? readNow(context.db, chainId);
    nows.set(chainId, now);
    return now;
  };
  const items: Resource[] = [];
  for (const row of rows) {
    const item = await describe(context, row, nowOf).catch((error: unknown) => {
      if (error instanceof Refusal) return null;
      throw error;
    });
    if (item) items.push(item);
  }
  return items;
}

async function describe(
  context: Context,
  row: ServiceWithAgent,
  nowOf: (chainId: number) => Promise<bigint>,
) {
  const { document } = await askForPrice(context, row, nowOf);
  const { url, description, mimeType, serviceName } = document.resource;
  return {
    resource: url,
    type: "http",
    x402Version: 2,
    accepts: document.accepts,
    lastUpdated: row.service.updatedAt.toISOString(),
    description,
    mimeType,
    serviceName,
    tags: row.service.tags.slice(0, 5),
    extensions: document.extensions ?? {},
  };
}
