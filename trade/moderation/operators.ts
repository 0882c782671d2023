import type { Address } from "viem";
import type { Database, Transaction } from "../../db/client.ts";
import { and, eq, sql } from "../../db/drizzle.ts";
import { operator, session, wallet } from "../../db/schema.ts";

/** Hours after a sign-in for which its session may act as an operator. After them, a stolen session cannot act. */
export const operatorSessionHours = 12;

/** A wallet whose owner is an operator. A contract counts on one chain, a key (null) on every chain. */
export type OperatorWallet = { address: Address; chainId: number | null };

/** Whether a session may act as an operator. `stale` if its operator has to sign in again. */
export type OperatorAccess = "operator" | "stale" | "none";

/** Reads whether a session is of an operator: it signed in with a granted wallet that is still in its account. */
export async function readOperatorAccess(
  db: Database | Transaction,
  sessionId: string,
): Promise<OperatorAccess> {
  const [found] = await db
    .select({
      fresh: sql<boolean>`${session.createdAt} > now() - make_interval(hours => ${operatorSessionHours})`,
    })
    .from(session)
    .innerJoin(wallet, and(eq(wallet.accountId, session.accountId), eq(wallet.address, session.address)))
    .innerJoin(operator, isOfWallet())
    .where(eq(session.id, sessionId))
    .limit(1);
  if (!found) return "none";
  return found.fresh ? "operator" : "stale";
}

/** Whether a wallet of an account is an operator's. */
export async function isOperator(db: Database | Transaction, accountId: string): Promise<boolean> {
  const found = await db
    .select({ address: operator.address })
    .from(wallet)
    .innerJoin(operator, isOfWallet())
    .where(eq(wallet.accountId, accountId))
    .limit(1);
  return found.length > 0;
}

const isOfWallet = () =>
  and(
    eq(operator.address, wallet.address),
    sql`coalesce(${operator.chainId}, 0) = coalesce(${wallet.chainId}, 0)`,
  );

/** Makes the owner of a wallet an operator, from the next request on. @returns whether the role is new */
export async function grantOperator(db: Database, { address, chainId }: OperatorWallet): Promise<boolean> {
  const granted = await db.insert(operator).values({ address, chainId }).onConflictDoNothing().returning();
  return granted.length > 0;
}

/** Takes the role back, from the next request on. @returns whether the wallet had it */
export async function revokeOperator(db: Database, { address, chainId }: OperatorWallet): Promise<boolean> {
  const revoked = await db
    .delete(operator)
    .where(and(eq(operator.address, address), sql`coalesce(${operator.chainId}, 0) = ${chainId ?? 0}`))
    .returning();
  return revoked.length > 0;
}

/** Lists the wallets of operators, each with its account, or null before its first sign-in. */
export async function listOperators(db: Database) {
  return db
    .select({
      address: operator.address,
      chainId: operator.chainId,
      since: operator.createdAt,
      accountId: wallet.accountId,
    })
    .from(operator)
    .leftJoin(wallet, isOfWallet())
    .orderBy(operator.createdAt);
}
