import { and, eq, isNull, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { typeid } from "typeid-js";
import type { Address } from "viem";
import { prepareOnce, type Transaction } from "../../db/client.ts";
import { account, wallet } from "../../db/schema.ts";
import { findWallets, type WalletRow } from "../../db/wallets.ts";
import type { Context } from "../context.ts";
import { delegation } from "../erc1271.ts";
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
  // A statement of its own sees what the lock waited for.
  return findClaimed();

  async function findClaimed() {
    const wallets = await selectClaimed(tx).execute({ address: address.toLowerCase() });
    const found = wallets.find((one) => one.wallet.chainId === chainId);
    if (!found && wallets.some((one) => one.wallet.chainId === null)) throw keyAlone();
    if (found?.wallet.provedBy === null) {
      await tx.update(wallet).set({ provedBy: "key" }).where(eq(wallet.id, found.wallet.id));
    }
    return found;
  }
}

const claimed = alias(wallet, "claimed");

// The removal of a wallet ends its sessions: a session that begins now is among them, or comes after.
const selectClaimed = prepareOnce("claim_wallet", (db) =>
  db
    .select({ wallet: claimed, account, primaryAddress: wallet.address })
    .from(claimed)
    .innerJoin(account, eq(account.id, claimed.accountId))
    .innerJoin(wallet, and(eq(wallet.accountId, account.id), sql`${wallet.isPrimary}`))
    .where(eq(claimed.address, sql.placeholder("address")))
    .for("key share", { of: claimed }),
);

/** Gives a proved wallet, which nobody has, to an account. */
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

/**
 * Binds a wallet from before chains were written down to the chain where its contract has just signed. Until then it
 * may have been proved on any, so this must be the only chain with a contract there.
 *
 * @throws Refusal `conflict` where it may be another's
 */
export async function bindOldWallet(
  context: Context,
  { address, chainId }: { address: Address; chainId: number },
): Promise<void> {
  const old = (await findWallets(context.db, address)).find((one) => one.provedBy === null);
  if (!old) return;
  const codes = await Promise.all(
    context.config.chains.map(async ({ chain_id }) => ({
      chain_id,
      code: await context.chain(chain_id)?.client.getCode({ address }),
    })),
  );
  if (codes.some(({ code }) => code?.toLowerCase().startsWith(delegation))) throw keyAlone();
  if (codes.some(({ code, chain_id }) => code && chain_id !== chainId)) {
    throw new Refusal(
      "conflict",
      "This address has contracts on several chains, and its account is older than the note of which one is its own. Ask the operator to bind it.",
    );
  }
  await context.db
    .update(wallet)
    .set({ chainId, provedBy: "contract" })
    .where(and(eq(wallet.id, old.id), isNull(wallet.provedBy)));
}

function keyAlone(): Refusal {
  return new Refusal(
    "conflict",
    "This address is known here as a key's, which stands above a contract: sign the message with that key.",
  );
}
