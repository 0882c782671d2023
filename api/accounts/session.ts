import { z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { typeid } from "typeid-js";
import { type Address, getAddress } from "viem";
import { placeholdersOf, prepareOnce, type Transaction } from "../../db/client.ts";
import { sql } from "../../db/drizzle.ts";
import { type account, auditEntry, session } from "../../db/schema.ts";
import { findOrCreateAccount } from "../../trade/accounts/account.ts";
import type { ProvedWallet } from "../../trade/accounts/wallet-claim.ts";
import { requireNoRunningErasure } from "../../trade/privacy/erasure.ts";
import type { Context } from "../context.ts";
import { browserSession, createToken } from "../http/access-tokens.ts";
import { auditPlaceholders, auditValues } from "../http/audit-log.ts";
import { originOf } from "../http/client-address.ts";
import { idField, orNull, shownAddress, timeField } from "../http/fields.ts";
import type { Variables } from "../variables.ts";
import { deviceOf, readUserAgent } from "./session-device.ts";

/** The most sessions of an account: of each kind, the one that was used least recently ends for a new one. */
export const mostSessions = { browser: 50, program: 500 } as const;

type Holder = keyof typeof mostSessions;

export const sessionSchema = z
  .object({
    id: idField("ses"),
    holder: z.enum(["browser", "program"]).openapi("SessionHolder", {
      description: "`browser`: the console, with a cookie; `program`: an access token",
    }),
    device: orNull(z.string().openapi({ example: "Firefox on Windows" })).openapi({
      description: "the browser and system that the sign-in named; null if they are not known",
    }),
    user_agent: orNull(z.string()).openapi({ description: "the `User-Agent` of the sign-in, shortened" }),
    address: orNull(shownAddress).openapi({ description: "the wallet that signed in" }),
    network: orNull(z.string().openapi({ example: "203.0.113.0/24" })).openapi({
      description: "the network of the last use",
    }),
    created_at: timeField,
    last_used_at: timeField.openapi({ description: "precise to the hour" }),
    expires_at: timeField.openapi({ description: "each use prolongs a browser's session, up to 30 days" }),
    is_current: z.boolean().openapi({ description: "whether this request has the session" }),
  })
  .openapi("Session");

type SessionRow = Omit<typeof session.$inferSelect, "tokenHash">;

export function presentSession(row: SessionRow, currentId: string): z.output<typeof sessionSchema> {
  return {
    id: row.id,
    holder: row.holder,
    device: deviceOf(row.userAgent),
    user_agent: row.userAgent,
    address: row.address && getAddress(row.address),
    network: row.network,
    created_at: row.createdAt.toISOString(),
    last_used_at: row.lastUsedAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    is_current: row.id === currentId,
  };
}

type SignedIn = {
  token: string;
  session: SessionRow;
  account: typeof account.$inferSelect;
  primaryAddress: Address;
};

/**
 * Starts a session of the wallet's account, creates the account if it is new, and writes the audit entry.
 *
 * @param approvedFrom the network of the other device that approved the sign-in
 * @throws Refusal `conflict` if a contract claims the address of a key, or the other way round; `invalid_state` while a worker
 * erases the account
 */
export async function startSession(
  tx: Transaction,
  { config }: Pick<Context, "config">,
  c: HonoContext<{ Variables: Variables }>,
  proved: ProvedWallet,
  { holder, approvedFrom }: { holder: Holder; approvedFrom?: string | null },
): Promise<SignedIn> {
  const { address, chainId } = proved;
  const { network } = originOf(c);
  const { token, tokenHash } = createToken("session");
  const id = typeid("ses").toString();
  const owner = await findOrCreateAccount(tx, proved, network);
  const accountId = owner.account.id;
  if (owner.account.erasingAt) await requireNoRunningErasure(tx, accountId);
  const now = new Date();
  const after = (seconds: number) => new Date(now.getTime() + seconds * 1000);
  const day = 24 * 3600;
  const row = {
    accountId,
    holder,
    address,
    network,
    tokenHash,
    userAgent: readUserAgent(c),
    expiresAt: after(holder === "browser" ? browserSession.idleDays * day : config.sessionSeconds),
    endsAt: holder === "browser" ? after(browserSession.days * day) : null,
  };
  const replaced = await endUnused(tx, accountId, holder);
  const entry = auditValues(c, {
    action: "session.created",
    target: id,
    data: {
      address: getAddress(address),
      chain_id: chainId?.toString() ?? null,
      ...(approvedFrom === undefined ? {} : { approved_from: approvedFrom }),
      ...(replaced.length > 0 ? { replaced } : {}),
    },
    by: { accountId, actorAccountId: accountId, credentialId: id },
  });
  await insertSession(tx).execute({ ...entry, ...row });
  return { ...owner, token, session: { ...row, id, lastUsedAt: now, createdAt: now, revokedAt: null } };
}

/** Ends the sessions of a kind that were used least recently, so that one more has room. Returns their ids. */
async function endUnused(tx: Transaction, accountId: string, holder: Holder): Promise<string[]> {
  const { rows } = await tx.execute<{ id: string }>(sql`
    update ${session} set revoked_at = now() where id in (
      select id from ${session}
      where account_id = ${accountId} and holder = ${holder} and revoked_at is null and expires_at > now()
      order by last_used_at desc, id desc offset ${mostSessions[holder] - 1})
    returning id`);
  return rows.map(({ id }) => id);
}

/** Inserts a session and its audit entry in one statement. */
const insertSession = prepareOnce("insert_session", (db) => {
  const { tokenHash, address, expiresAt, endsAt, userAgent, holder } = session;
  const started = db.insert(session).values({
    id: sql.placeholder("credentialId"),
    accountId: sql.placeholder("accountId"),
    network: sql.placeholder("network"),
    ...placeholdersOf({ tokenHash, address, expiresAt, endsAt, userAgent, holder }),
  });
  return db.with(db.$with("started").as(started)).insert(auditEntry).values(auditPlaceholders);
});
