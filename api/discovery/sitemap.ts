import type { Context as RequestContext } from "hono";
import { LRUCache } from "lru-cache";
import type { Database } from "../../db/client.ts";
import { asc, eq, gte, type SQL, sql } from "../../db/drizzle.ts";
import { agent, listedAgent, offer, service } from "../../db/schema.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../http/api-error.ts";
import { entityTagOf, isKnownTag } from "../http/etag.ts";
import type { App, Variables } from "../variables.ts";

/** The path of the index, and the folder of its parts. */
export const sitemapPath = "/sitemap.xml";
export const sitemapPartsPath = "/sitemap";

/** The most URLs of one part, and the rows that one statement reads for it. */
const mostInPart = 10_000;
const rowsAtOnce = 1000;

/** The most parts of one kind. Rows beyond them are left out. */
const mostParts = 200;

/** Milliseconds for which a document is cached, and the most bytes of all cached documents. */
const cacheMilliseconds = 600_000;
const cacheBytes = 32 * 1024 * 1024;

/** A page that a part lists. */
type Entry = { path: string; updatedAt: Date | null };

type Kind = {
  /** the table and the key whose order divides the rows into parts */
  from: SQL;
  key: SQL;
  read: (db: Database, from: string) => Promise<(Entry & { key: string })[]>;
};

const kinds: Record<"agents" | "services", Kind> = {
  agents: {
    from: sql`${listedAgent}`,
    key: sql`agent_id`,
    read: (db, from) =>
      db
        .select({
          key: listedAgent.agentId,
          path: sql<string>`'/agents/' || ${agent.slug}`,
          updatedAt: agent.updatedAt,
        })
        .from(listedAgent)
        .innerJoin(agent, eq(agent.id, listedAgent.agentId))
        .where(gte(listedAgent.agentId, from))
        .orderBy(asc(listedAgent.agentId))
        .limit(rowsAtOnce + 1),
  },
  services: {
    from: sql`${offer}`,
    key: sql`service_id`,
    read: (db, from) =>
      db
        .select({
          key: offer.serviceId,
          path: sql<string>`'/market/' || ${agent.slug} || '/' || ${service.slug}`,
          updatedAt: service.updatedAt,
        })
        .from(offer)
        .innerJoin(service, eq(service.id, offer.serviceId))
        .innerJoin(agent, eq(agent.id, offer.agentId))
        .where(gte(offer.serviceId, from))
        .orderBy(asc(offer.serviceId))
        .limit(rowsAtOnce + 1),
  },
};
const isKind = (name: string): name is keyof typeof kinds => Object.hasOwn(kinds, name);

const pages: Entry[] = ["/", "/market", "/reputation", "/receipts", "/docs"].map((path) => ({
  path,
  updatedAt: null,
}));

/**
 * Adds the sitemap: an index, and parts of at most 10,000 URLs each. A part is made when a crawler reads it, is cached, and
 * is sent to all crawlers that ask meanwhile.
 */
export function addSitemap(app: App, { config, db }: Context): void {
  const { publicUrl } = config;
  const starts = new LRUCache<string, string[]>({
    max: 2,
    ttl: config.answerCacheBytes > 0 ? cacheMilliseconds : 1,
    fetchMethod: (name) => (isKind(name) ? readStarts(db, kinds[name]) : Promise.resolve([])),
  });
  const parts = new LRUCache<string, string>({
    max: 2 * mostParts,
    ttl: config.answerCacheBytes > 0 ? cacheMilliseconds : 1,
    maxSize: cacheBytes,
    sizeCalculation: (text) => text.length + 1,
    fetchMethod: (name) => writePart(name),
    // A part goes on after its entry is evicted: otherwise the requests that wait for it would fail.
    ignoreFetchAbort: true,
  });

  app.get(sitemapPath, async (c) => {
    const items = (await listParts()).map(
      (name) => `<sitemap><loc>${escapeXml(`${publicUrl}${sitemapPartsPath}/${name}.xml`)}</loc></sitemap>`,
    );
    return sendXml(c, wrap("sitemapindex", items));
  });
  app.get(`${sitemapPartsPath}/:part{[a-z]+(-[0-9]+)?[.]xml}`, async (c) => {
    const name = c.req.param("part").slice(0, -".xml".length);
    const text = (await listParts()).includes(name) ? await parts.fetch(name) : undefined;
    if (!text) throw new ApiError("not_found", "The sitemap has no such part.");
    return sendXml(c, text);
  });

  async function listParts(): Promise<string[]> {
    const ofKinds = await Promise.all(
      Object.keys(kinds).map(async (kind) =>
        ((await starts.fetch(kind)) ?? []).map((_, at) => `${kind}-${at + 1}`),
      ),
    );
    return ["pages", ...ofKinds.flat()];
  }

  /** Writes a part of the index; an empty text if the part is gone. */
  async function writePart(name: string): Promise<string> {
    const [kind = "", number = ""] = name.split("-");
    if (!isKind(kind)) return wrap("urlset", pages.map(writeEntry));
    let next = (await starts.fetch(kind))?.[Number(number) - 1];
    if (next === undefined) return "";
    const items: string[] = [];
    while (next !== undefined && items.length < mostInPart) {
      const rows: (Entry & { key: string })[] = await kinds[kind].read(db, next);
      items.push(...rows.slice(0, rowsAtOnce).map(writeEntry));
      next = rows[rowsAtOnce]?.key;
    }
    return wrap("urlset", items);
  }

  function writeEntry({ path, updatedAt }: Entry): string {
    const changed = updatedAt ? `<lastmod>${updatedAt.toISOString()}</lastmod>` : "";
    return `<url><loc>${escapeXml(`${publicUrl}${path}`)}</loc>${changed}</url>`;
  }
}

/** Reads the key at which each part starts, by steps through the key's index. */
async function readStarts(db: Database, { from, key }: Kind): Promise<string[]> {
  const { rows } = await db.execute<{ start: string }>(sql`
    with recursive part (start, number) as (
      (select ${key}, 1 from ${from} order by ${key} limit 1)
      union all
      select (select ${key} from ${from} where ${key} > part.start order by ${key} offset ${mostInPart - 1} limit 1), number + 1
      from part where part.start is not null and number < ${mostParts})
    select start from part where start is not null order by number`);
  return rows.map(({ start }) => start);
}

function wrap(element: "urlset" | "sitemapindex", items: string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<${element} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${items.join("\n")}
</${element}>
`;
}

const escapeXml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function sendXml(c: RequestContext<{ Variables: Variables }>, text: string): Response {
  const tag = entityTagOf(text);
  c.header("ETag", tag);
  c.header("Cache-Control", "public, max-age=600");
  if (isKnownTag(c, tag)) return c.body(null, 304);
  return c.body(text, 200, { "Content-Type": "application/xml; charset=utf-8" });
}
