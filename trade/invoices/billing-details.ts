import type { Database, Transaction } from "../../db/client.ts";
import { eq, sql } from "../../db/drizzle.ts";
import { type BillingDetails, billingDetails } from "../../db/schema.ts";

/** Reads the billing details of an account; undefined if it has none. */
export async function readBillingDetails(
  db: Database | Transaction,
  accountId: string,
): Promise<typeof billingDetails.$inferSelect | undefined> {
  const [row] = await db.select().from(billingDetails).where(eq(billingDetails.accountId, accountId));
  return row;
}

/** Sets the billing details of an account in the place of any others. Issued invoices keep theirs. */
export async function setBillingDetails(
  tx: Transaction,
  accountId: string,
  details: BillingDetails,
): Promise<typeof billingDetails.$inferSelect> {
  const [row] = await tx
    .insert(billingDetails)
    .values({ accountId, details })
    .onConflictDoUpdate({ target: billingDetails.accountId, set: { details, updatedAt: sql`now()` } })
    .returning();
  return row as typeof billingDetails.$inferSelect;
}

/** Removes the billing details of an account, if it has any. Issued invoices keep theirs. */
export async function removeBillingDetails(tx: Transaction, accountId: string): Promise<boolean> {
  const { rowCount } = await tx.delete(billingDetails).where(eq(billingDetails.accountId, accountId));
  return rowCount === 1;
}
