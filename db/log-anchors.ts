import { and, desc, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { Address } from "viem";
import { anchorEvent, isWithoutIndex } from "./chain-index.ts";
import type { Database } from "./client.ts";
import { logPublisher } from "./schema.ts";

/** Whose anchors, and by which contract. */
export type Publisher = { chainId: number; contract: Address; publisher: Address };

export type AnchorRow = typeof anchorEvent.$inferSelect;

/** The largest tree that a publisher anchored, as far as the chain is indexed. */
export async function readLargestAnchor(db: Database, publisher: Publisher): Promise<AnchorRow | null> {
  const [found] = await db
    .select()
    .from(anchorEvent)
    .where(isOf(publisher))
    .orderBy(desc(anchorEvent.size))
    .limit(1);
  return found ?? null;
}

/**
 * The entries of the largest tree that any of our wallets anchored, and how long ago by the chain's clock.
 *
 * @returns null where there is none, or no index that could tell
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
    if (isWithoutIndex(error)) return null;
    throw error;
  }
}

/** The wallets that ever anchored the log on a chain, the one that did so last before all others. */
export async function readPublishers(db: Database, chainId: number): Promise<Address[]> {
  const rows = await db
    .select({ address: logPublisher.address })
    .from(logPublisher)
    .where(eq(logPublisher.chainId, chainId))
    .orderBy(desc(logPublisher.queuedAt))
    .limit(mostPublishers);
  return rows.map(({ address }) => address);
}

/** A wallet is changed rarely; nobody waits for more. */
const mostPublishers = 20;

/** One page of a publisher's anchors, each with its `position`, by its own index. */
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
