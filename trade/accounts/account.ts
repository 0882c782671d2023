import { and, eq } from "drizzle-orm";
import { typeid } from "typeid-js";
import type { Address } from "viem";
import type { Transaction } from "../../db/client.ts";
import { account, wallet } from "../../db/schema.ts";
import { claimWallet, insertWallet, type ProvedWallet } from "./wallet-claim.ts";

/**
 * The account of a wallet that its owner has proved; made, with the wallet as its primary one, where there is none. The
 * first sign-in and the first payment of a wallet make the same account.
 *
 * @throws Refusal `conflict` where a contract speaks for the address of a key
 */
export async function findOrCreateAccount(
  tx: Transaction,
  proved: ProvedWallet,
): Promise<{ account: typeof account.$inferSelect; primaryAddress: Address }> {
  const known = await claimWallet(tx, proved);
  if (known) {
    const [owner] = await tx
      .select({ account, primaryAddress: wallet.address })
      .from(account)
      .innerJoin(wallet, and(eq(wallet.accountId, account.id), eq(wallet.isPrimary, true)))
      .where(eq(account.id, known.accountId));
    if (!owner) throw new Error("An account has a primary wallet.");
    return owner;
  }
  const [created] = await tx
    .insert(account)
    .values({ id: typeid("acc").toString() })
    .returning();
  if (!created) throw new Error("The database returned no account.");
  await insertWallet(tx, created.id, proved, { isPrimary: true });
  return { account: created, primaryAddress: proved.address };
}
