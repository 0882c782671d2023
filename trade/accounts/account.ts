import { typeid } from "typeid-js";
import type { Address } from "viem";
import type { Transaction } from "../../db/client.ts";
import { account } from "../../db/schema.ts";
import { claimWallet, insertWallet, type ProvedWallet } from "./wallet-claim.ts";

/**
 * Finds the account of a proved wallet. Without an account, creates one with this wallet as its primary wallet. The
 * first sign-in and the first payment of a wallet get the same account.
 *
 * @param network the network of the request; shares count the new account by it
 * @throws Refusal `conflict` if a contract claims the address of a key
 */
export async function findOrCreateAccount(
  tx: Transaction,
  proved: ProvedWallet,
  network: string | null,
): Promise<{ account: typeof account.$inferSelect; primaryAddress: Address }> {
  const known = await claimWallet(tx, proved);
  if (known) return known;
  const [created] = await tx
    .insert(account)
    .values({ id: typeid("acc").toString(), network })
    .returning();
  if (!created) throw new Error("The database returned no account.");
  await insertWallet(tx, created.id, proved, { isPrimary: true });
  return { account: created, primaryAddress: proved.address };
}
