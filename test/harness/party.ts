import { sql } from "drizzle-orm";
import type { Database } from "../../db/client.ts";
import { inTransaction } from "../../db/transaction.ts";

/** Gives an account a funded order: by a row only, because its other rows are not read. */
export async function makeParty(db: Database, accountId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    await tx.execute(sql`set local session_replication_role = replica`);
    await tx.execute(sql`
      insert into earnest.account_settlement (account_id, receipt_id, role, claim)
      values (${accountId}, ${`rcp_${accountId}`}, 'buyer', 'funded')`);
  });
}
