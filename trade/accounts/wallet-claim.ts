import { alias } from "drizzle-orm/pg-core";
import { typeid } from "typeid-js";
import type { Address } from "viem";
import { prepareOnce, type Transaction } from "../../db/client.ts";
import { and, eq, sql } from "../../db/drizzle.ts";
import { account, wallet } from "../../db/schema.ts";
import type { WalletRow } from "../../db/wallets.ts";
import { Refusal } from "../refusal.ts";

/** A wallet that a signature proves: the address of a key, or of a contract on a chain. */
export type ProvedWallet = { address: Address; chainId: number | null };

/** A wallet with its account, and the account's primary address. */
type ClaimedWallet = { wallet: WalletRow; account: typeof account.$inferSelect; primaryAddress: Address };

/**
 * Finds the wallet that a signature proves. If no account has the wallet, other claims of its address wait until the
 * transaction ends.
 *
 * @returns undefined if no account has the wallet
 * @throws Refusal `conflict` if a contract claims the address of a key
 */
export async function claimWallet(
  tx: Transaction,
  { address, chainId }: ProvedWallet,
): Promise<ClaimedWallet | undefined> {
  const known = await findClaimed();
  if (known) return known;
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${address.toLowerCase()}, 0))`);
  // A new statement sees the claims that the lock waited for.
  return findClaimed();

  async function findClaimed() {
    const wallets = await selectClaimed(tx).execute({ address: address.toLowerCase() });
    const found = wallets.find((one) => one.wallet.chainId === chainId);
    if (!found && wallets.some((one) => one.wallet.chainId === null)) throw keyAlone();
    return found;
  }
}

const claimed = alias(wallet, "claimed");

// The row lock orders a sign-in and the removal of the wallet, which ends the wallet's sessions.
const selectClaimed = prepareOnce("claim_wallet", (db) =>
  db
    .select({ wallet: claimed, account, primaryAddress: wallet.address })
    .from(claimed)
    .innerJoin(account, eq(account.id, claimed.accountId))
    .innerJoin(wallet, and(eq(wallet.accountId, account.id), sql`${wallet.isPrimary}`))
    .where(eq(claimed.address, sql.placeholder("address")))
    .for("key share", { of: claimed }),
);

/** Adds a proved wallet that no account has to an account. */
export async function insertWallet(
  tx: Transaction,
  accountId: string,
  { address, chainId }: ProvedWallet,
  { isPrimary = false } = {},
): Promise<WalletRow> {
  const provedBy = chainId === null ? ("key" as const) : ("contract" as const);
  const [added] = await tx
    .insert(wallet)
    .values({ id: typeid("wal").toString(), accountId, address, chainId, provedBy, isPrimary })
    .returning();
  if (!added) throw new Error("The database returned no wallet.");
  return added;
}

function keyAlone(): Refusal {
  return new Refusal(
    "conflict",
    "This address belongs to a key, which takes precedence over a contract. Sign the message with that key.",
  );
}
