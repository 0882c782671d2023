import type { Transaction } from "./client.ts";
import { type SQL, sql } from "./drizzle.ts";

let opened = 0;

/**
 * Reads the rows of a query by a cursor, in pages of a few thousand. The next page is fetched while the caller works on the
 * current page. The transaction may run other queries in between.
 */
export async function* readByCursor<Row extends Record<string, unknown>>(
  tx: Transaction,
  query: SQL,
  page = 2000,
): AsyncGenerator<Row[]> {
  opened = (opened + 1) % 1_000_000;
  const cursor = sql.identifier(`read_${opened}`);
  await tx.execute(sql`declare ${cursor} no scroll cursor for ${query}`);
  const fetch = async () => {
    const { rows } = await tx.execute(sql`fetch ${sql.raw(String(page))} from ${cursor}`);
    return rows as Row[];
  };
  for (let next = fetch(); ; ) {
    const rows = await next;
    if (rows.length < page) {
      yield rows;
      break;
    }
    next = fetch();
    // The caller may stop before it takes the next page.
    next.catch(() => {});
    yield rows;
  }
  await tx.execute(sql`close ${cursor}`);
}
