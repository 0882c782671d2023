import { type SQL, sql } from "drizzle-orm";
import type { Transaction } from "./client.ts";

let opened = 0;

/**
 * Reads what a query finds, however much it is, a few thousand rows at a time. The next are on their way while those are
 * worked on. Other queries of the transaction may run in between.
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
    // Whoever works on these may give up before it asks for the next.
    next.catch(() => {});
    yield rows;
  }
  await tx.execute(sql`close ${cursor}`);
}
