import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, inArray, or, type SQL } from "../../db/drizzle.ts";
import { order, wallet } from "../../db/schema.ts";

/** Selects the orders whose arbiter is one of an account's wallets. */
export async function selectDecided(db: Database | Transaction, accountId: string): Promise<SQL | undefined> {
  // A separate query, so that the index returns one wallet's disputes in order.
  const wallets = await db
    .select({ address: wallet.address, chainId: wallet.chainId })
    .from(wallet)
    .where(eq(wallet.accountId, accountId));
  const keyWallets = wallets.flatMap(({ address, chainId }) => (chainId === null ? [address] : []));
  const contracts = wallets.flatMap(({ address, chainId }) =>
    chainId === null ? [] : [and(eq(order.arbiter, address), eq(order.chainId, chainId))],
  );
  return or(inArray(order.arbiter, keyWallets), ...contracts);
}
