import type { Address } from "viem";
import type { Database, Transaction } from "./client.ts";
import { and, type Column, eq, exists, isNull, or, type SQL, sql } from "./drizzle.ts";
import type { OrderRow } from "./order-rows.ts";
import { order, wallet } from "./schema.ts";

export type WalletRow = typeof wallet.$inferSelect;

/** Returns a condition that a wallet counts on a chain: a key counts on every chain, a contract on its own. */
export function isKnownOn(chainId: number | Column): SQL | undefined {
  return or(isNull(wallet.chainId), eq(wallet.chainId, chainId));
}

/** Finds the account that owns an address on a chain, or null. A key comes before a contract, which it may replace (EIP-7702). */
export async function readOwner(
  db: Database | Transaction,
  { address, chainId }: { address: Address; chainId: number },
): Promise<string | null> {
  const [owner] = await db
    .select({ accountId: wallet.accountId })
    .from(wallet)
    .where(and(eq(wallet.address, address), isKnownOn(chainId)))
    .orderBy(sql`${wallet.chainId} nulls first`)
    .limit(1);
  return owner?.accountId ?? null;
}

/** Finds the account that decides an order's dispute, or null. */
export function readArbiter(
  db: Database | Transaction,
  { arbiter, chainId }: Pick<OrderRow, "arbiter" | "chainId">,
): Promise<string | null> {
  return readOwner(db, { address: arbiter, chainId });
}

/** Returns the condition of `readArbiter` on the `order` of a statement: the account decides its dispute. */
export function ownsArbiter(db: Database | Transaction, accountId: string): SQL {
  const owner = db
    .select({ accountId: wallet.accountId })
    .from(wallet)
    .where(and(eq(wallet.address, order.arbiter), isKnownOn(order.chainId)))
    .orderBy(sql`${wallet.chainId} nulls first`)
    .limit(1)
    .as("owner");
  return exists(db.select({ one: sql`1` }).from(owner).where(eq(owner.accountId, accountId)));
}

/** Reads the chains on which an account has proved an address as a contract's, or null if a key proves it on every chain. */
export async function readProvedChains(
  db: Database | Transaction,
  { accountId, address }: { accountId: string; address: Address },
): Promise<number[] | null> {
  const rows = await db
    .select({ chainId: wallet.chainId })
    .from(wallet)
    .where(and(eq(wallet.address, address), eq(wallet.accountId, accountId)));
  return provedChainsOf(rows);
}

/** Returns the chains of the wallets of one address; null if one of them is a key's. */
export function provedChainsOf(rows: readonly Pick<WalletRow, "chainId">[]): number[] | null {
  const chains = rows.flatMap(({ chainId }) => chainId ?? []);
  return chains.length < rows.length ? null : chains;
}

/** Reads the wallets that an account has proved on a chain, the primary wallet first. */
export async function readWallets(
  db: Database | Transaction,
  accountId: string,
  chainId: number,
): Promise<Address[]> {
  const rows = await db
    .select({ address: wallet.address })
    .from(wallet)
    .where(and(eq(wallet.accountId, accountId), isKnownOn(chainId)))
    .orderBy(sql`${wallet.isPrimary} desc`, wallet.createdAt);
  return rows.map(({ address }) => address);
}
