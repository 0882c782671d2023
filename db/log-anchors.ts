import type { Address } from "viem";
import { anchorEvent, isIndexMissing } from "./chain-index.ts";
import type { Database } from "./client.ts";
import { and, desc, eq, getTableColumns, type SQL, sql } from "./drizzle.ts";
import { logPublisher } from "./schema.ts";

/** A wallet that anchors the log, and the contract that it calls. */
export type Publisher = { chainId: number; contract: Address; publisher: Address };

export type AnchorRow = typeof anchorEvent.$inferSelect;

/** Reads the anchor of the largest tree of a publisher, as far as the chain is indexed. */
export async function readLargestAnchor(db: Database, publisher: Publisher): Promise<AnchorRow | null> {
  const [anchor] = await db
    .select()
    .from(anchorEvent)
    .where(isOf(publisher))
    .orderBy(desc(anchorEvent.size))
    .limit(1);
  return anchor ?? null;
}

/**
 * Reads the size of the largest tree that the service has anchored, and the age of the anchor by the chain's clock.
 *
 * @returns null if there is no anchor, or no index
 */
export async function readAnchorAge(
  db: Database,
  { chainId, contract }: Pick<Publisher, "chainId" | "contract">,
): Promise<{ entries: number; seconds: number } | null> {
  try {
    const publishers = await readPublishers(db, chainId);
    const found = await Promise.all(
      publishers.map((publisher) => readLargestAnchor(db, { chainId, contract, publisher })),
    );
    const anchors = found.filter((anchor) => anchor !== null).sort((a, b) => Number(b.size - a.size));
    const [largest] = anchors;
    if (!largest) return null;
    const { rows } = await db.execute<{ seconds: number }>(
      sql`select greatest(0, floor(extract(epoch from now())) - ${largest.timestamp}::bigint)::float as seconds`,
    );
    return { entries: Number(largest.size), seconds: rows[0]?.seconds ?? 0 };
  } catch (error) {
    if (isIndexMissing(error)) return null;
    throw error;
  }
}

/** Reads the wallets that have anchored the log on a chain, the latest first. */
export async function readPublishers(db: Database, chainId: number): Promise<Address[]> {
  const rows = await db
    .select({ address: logPublisher.address })
    .from(logPublisher)
    .where(eq(logPublisher.chainId, chainId))
    .orderBy(desc(logPublisher.queuedAt))
    .limit(mostPublishers);
  return rows.map(({ address }) => address);
}

/** Wallets that are read. An operator replaces a wallet rarely. */
const mostPublishers = 20;

/** Reads a page of a publisher's anchors, each with its `position`. */
export function readAnchors<Position extends SQL>(
  db: Database,
  publisher: Publisher,
  page: { position: Position; after: SQL | undefined; order: SQL[]; limit: number },
) {
  return db
    .select({ ...getTableColumns(anchorEvent), position: page.position })
    .from(anchorEvent)
    .where(and(isOf(publisher), page.after))
    .orderBy(...page.order)
    .limit(page.limit);
}

function isOf({ chainId, contract, publisher }: Publisher): SQL | undefined {
  return and(
    eq(anchorEvent.chainId, chainId),
    eq(anchorEvent.contract, contract),
    eq(anchorEvent.publisher, publisher),
  );
}
