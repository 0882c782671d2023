import type { Database } from "../../db/client.ts";
import { sql } from "../../db/drizzle.ts";
import { lockOrder, recordFacts } from "../../db/ledger.ts";
import { writeOutcome } from "../../db/order-outcomes.ts";
import { order, orderOutcome } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";

const page = 200;

/** Writes the outcomes of settled orders that have none. */
export async function writeMissingOutcomes(db: Database, signal?: AbortSignal): Promise<number> {
  let written = 0;
  for (let after = ""; !signal?.aborted; ) {
    const { rows } = await db.execute<{ id: string }>(sql`
      select id from ${order} as settled
      where status in ('released', 'refunded') and id > ${after}
        and not exists (select from ${orderOutcome} where order_id = settled.id)
      order by id limit ${page}`);
    for (const { id } of rows) {
      await inTransaction(db, async (tx) => {
        const row = await lockOrder(tx, id);
        if (row) await writeOutcome(tx, row, (await recordFacts(tx, row, [])).steps);
      });
      written += 1;
    }
    const last = rows.at(-1);
    if (!last || rows.length < page) return written;
    after = last.id;
  }
  return written;
}
