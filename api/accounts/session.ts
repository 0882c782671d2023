import { and, eq, sql } from "drizzle-orm";
import type { Context as HonoContext } from "hono";
import { typeid } from "typeid-js";
import { type Address, getAddress } from "viem";
import type { Database } from "../../db/client.ts";
import { sendUntilKnown } from "../../db/outcome.ts";
import { account, session, wallet } from "../../db/schema.ts";
import { findOrCreateAccount } from "../../trade/accounts/account.ts";
import type { ProvedWallet } from "../../trade/accounts/wallet-claim.ts";
import type { Context, Variables } from "../context.ts";
import { auditEntryOf, recordAudit } from "../http/audit.ts";

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
  const entry = {
    action: "session.created",
    target: id,
    data: { address: getAddress(address), chain_id: chainId?.toString() ?? null },
  } as const;
  const audit = auditEntryOf(c, entry);
  const values = [
    ...[address.toLowerCase(), chainId, id, tokenHash, expiresAt],
    ...[audit.id, audit.action, JSON.stringify(audit.data), audit.clientAddress, audit.requestId],
  ];
  const known = await sendUntilKnown(
    db.$client,
    () => db.$client.query<KnownRow>({ name: "start_session", text: startStatement, values }),
    async () => (await db.$count(session, eq(session.id, id))) > 0,
  );
  if (known === "made") return readOwner(db, id);
  const [row] = known.rows;
  if (row) return { account: { ...row }, primaryAddress: row.primaryAddress };
  return db.transaction(async (tx) => {
    const owner = await findOrCreateAccount(tx, proved);
    const accountId = owner.account.id;
    await tx.insert(session).values({ id, accountId, tokenHash, address, expiresAt });
    await recordAudit(tx, c, { ...entry, by: { accountId, actorAccountId: accountId, credentialId: id } });
    return owner;
  });
}

type KnownRow = typeof account.$inferSelect & { primaryAddress: Address };

/**
 * For a wallet that an account has: one statement. $1 address, $2 chain of a contract, $3 session, $4 hash of its token,
 * $5 its end; $6 to $10 the entry of the audit trail. The lock is for whoever takes the wallet from its account meanwhile,
 * and ends its sessions: this one is among them, or comes after.
 */
const startStatement = `
  with known as (
    select account_id from earnest.wallet
    where address = $1 and chain_id is not distinct from $2::integer and proved_by is not null
    for key share
  ), started as (
    insert into earnest.session (id, account_id, token_hash, address, expires_at)
    select $3, account_id, $4, $1, $5::timestamptz from known
  ), told as (
    insert into earnest.audit_entry (
      id, account_id, actor_account_id, credential_id, action, target, data, client_address, request_id)
    select $6, account_id, account_id, $3, $7, $3, $8::jsonb, $9, $10 from known
  )
  select account.id, account.username, account.display_name as "displayName", account.role,
    account.created_at as "createdAt", main.address as "primaryAddress"
  from known join earnest.account on account.id = known.account_id
  join earnest.wallet as main on main.account_id = account.id and main.is_primary`;

async function readOwner(db: Database, sessionId: string): Promise<SignedIn> {
  const [owner] = await db
    .select({ account, primaryAddress: wallet.address })
    .from(session)
    .innerJoin(account, eq(account.id, session.accountId))
    .innerJoin(wallet, and(eq(wallet.accountId, account.id), sql`${wallet.isPrimary}`))
    .where(eq(session.id, sessionId));
  if (!owner) throw new Error("An account has a primary wallet.");
  return owner;
}
