import { getTableColumns } from "drizzle-orm";
import type { Context as HonoContext } from "hono";
import { typeid } from "typeid-js";
import { type Address, getAddress } from "viem";
import { placeholdersOf, prepareOnce } from "../../db/client.ts";
import { type account, session } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { findOrCreateAccount } from "../../trade/accounts/account.ts";
import type { ProvedWallet } from "../../trade/accounts/wallet-claim.ts";
import type { Context, Variables } from "../context.ts";
import { recordAudit } from "../http/audit.ts";

type SignedIn = { account: typeof account.$inferSelect; primaryAddress: Address };

/**
 * Starts a session of the wallet's account, which is made where there is none, and writes it into the audit trail.
 *
 * @throws Refusal `conflict` where a contract speaks for the address of a key
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
    const owner = await findOrCreateAccount(tx, proved);
    const accountId = owner.account.id;
    await insertSession(tx).execute({ id, accountId, tokenHash, address, expiresAt });
    await recordAudit(tx, c, {
      action: "session.created",
      target: id,
      data: { address: getAddress(address), chain_id: chainId?.toString() ?? null },
      by: { accountId, actorAccountId: accountId, credentialId: id },
    });
    return owner;
  });
}

const { revokedAt: _, createdAt: __, ...columns } = getTableColumns(session);
const insertSession = prepareOnce("insert_session", (db) =>
  db.insert(session).values(placeholdersOf(columns)),
);
