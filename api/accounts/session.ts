import { sql } from "drizzle-orm";
import type { Context as HonoContext } from "hono";
import { typeid } from "typeid-js";
import { type Address, getAddress } from "viem";
import { placeholdersOf, prepareOnce } from "../../db/client.ts";
import { type account, auditEntry, session } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { findOrCreateAccount } from "../../trade/accounts/account.ts";
import type { ProvedWallet } from "../../trade/accounts/wallet-claim.ts";
import type { Context } from "../context.ts";
import { auditPlaceholders, auditValues } from "../http/audit-log.ts";
import { originOf } from "../http/client-address.ts";
import type { Variables } from "../variables.ts";

type SignedIn = { account: typeof account.$inferSelect; primaryAddress: Address };

/**
 * Starts a session of the wallet's account, creates the account if it is new, and writes the audit entry.
 *
 * @throws Refusal `conflict` if a contract claims the address of a key, or the other way round
 */
export async function startSession(
  { db }: Pick<Context, "db">,
  c: HonoContext<{ Variables: Variables }>,
  proved: ProvedWallet,
  { tokenHash, expiresAt }: { tokenHash: string; expiresAt: Date },
): Promise<SignedIn> {
  const { address, chainId } = proved;
  const id = typeid("ses").toString();
  return inTransaction(db, async (tx) => {
    const owner = await findOrCreateAccount(tx, proved, originOf(c).network);
    const accountId = owner.account.id;
    const entry = auditValues(c, {
      action: "session.created",
      target: id,
      data: { address: getAddress(address), chain_id: chainId?.toString() ?? null },
      by: { accountId, actorAccountId: accountId, credentialId: id },
    });
    await insertSession(tx).execute({ ...entry, tokenHash, address, expiresAt });
    return owner;
  });
}

/** Inserts a session and its audit entry in one statement. */
const insertSession = prepareOnce("insert_session", (db) => {
  const { tokenHash, address, expiresAt } = session;
  const started = db.insert(session).values({
    id: sql.placeholder("credentialId"),
    accountId: sql.placeholder("accountId"),
    ...placeholdersOf({ tokenHash, address, expiresAt }),
  });
  return db.with(db.$with("started").as(started)).insert(auditEntry).values(auditPlaceholders);
});
