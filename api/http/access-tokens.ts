import { createHash, randomBytes } from "node:crypto";
import type { Context as HonoContext } from "hono";
import { prepareOnce } from "../../db/client.ts";
import { and, eq, gt, isNull, type SQLWrapper, sql } from "../../db/drizzle.ts";
import { account, apiKey, oauthRecord, organisationMember, session, wallet } from "../../db/schema.ts";
import type { Variables } from "../variables.ts";

/** Days without use after which a browser's session ends, and its days in all. */
export const browserSession = { idleDays: 14, days: 30 } as const;

export const sessionPrefix = "est_";
export const keyPrefix = "esk_";

/** Makes a token of 256 random bits. Only its hash is stored. */
export function createToken(kind: "session" | "key"): { token: string; tokenHash: string } {
  const token = (kind === "session" ? sessionPrefix : keyPrefix) + randomBytes(32).toString("base64url");
  return { token, tokenHash: hashToken(token) };
}

export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** The token of a request, valid or not. A token in a header has precedence over the cookie of a session. */
export function readToken(c: HonoContext<{ Variables: Variables }>): string | undefined {
  const authorization = c.req.header("authorization");
  if (authorization === undefined) return c.req.header("x-api-key") ?? c.get("cookieToken");
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1];
}

/** Whether a request carries a token, valid or not, or any other credential. */
export function carriesToken(c: HonoContext<{ Variables: Variables }>): boolean {
  return c.req.header("authorization") !== undefined || readToken(c) !== undefined;
}

const isPrimary = sql`${wallet.isPrimary}`;

/** Selects the accounts of a credential that an operator has banned. */
const bannedAmong = (...accountIds: SQLWrapper[]) =>
  sql<string[]>`array(select banned.id from ${account} as banned
    where banned.id in (${sql.join(accountIds, sql`, `)}) and banned.banned_at is not null)`;

export const findSession = prepareOnce("find_session", (db) => {
  // The role is read with every request, so a removed member loses all access at once.
  const actedFor = sql<string>`case when ${organisationMember.role} is null
    then ${session.accountId} else ${organisationMember.accountId} end`;
  return db
    .select({
      accountId: actedFor,
      primaryAddress: wallet.address,
      credentialId: session.id,
      memberAccountId: session.accountId,
      role: organisationMember.role,
      banned: bannedAmong(actedFor, session.accountId),
      stale: sql<boolean>`${session.lastUsedAt} < now() - interval '1 hour'`,
    })
    .from(session)
    .leftJoin(
      organisationMember,
      and(
        eq(organisationMember.memberAccountId, session.accountId),
        eq(organisationMember.accountId, sql.placeholder("organisation")),
      ),
    )
    .innerJoin(wallet, and(eq(wallet.accountId, actedFor), isPrimary))
    .where(
      and(
        eq(session.tokenHash, sql.placeholder("tokenHash")),
        // A browser's session is valid in its cookie alone.
        eq(session.holder, sql.placeholder("holder")),
        isNull(session.revokedAt),
        gt(session.expiresAt, sql`now()`),
      ),
    );
});

/** Notes the use of a session, and prolongs a browser's session. Hours are precise enough. */
export const noteSessionUse = prepareOnce("note_session_use", (db) => {
  const { lastUsedAt, expiresAt, endsAt, network } = session;
  const idle = sql.raw(`interval '${browserSession.idleDays} days'`);
  return db
    .update(session)
    .set({
      lastUsedAt: sql`now()`,
      expiresAt: sql`case when ${endsAt} is null then ${expiresAt} else least(now() + ${idle}, ${endsAt}) end`,
      network: sql`coalesce(${sql.placeholder("network")}::text, ${network})`,
    })
    .where(and(eq(session.id, sql.placeholder("id")), sql`${lastUsedAt} < now() - interval '1 hour'`));
});

const keyColumns = {
  accountId: apiKey.accountId,
  primaryAddress: wallet.address,
  credentialId: apiKey.id,
  createdBy: apiKey.createdBy,
  banned: bannedAmong(apiKey.accountId, apiKey.createdBy),
  scopes: apiKey.scopes,
  allowedIps: apiKey.allowedIps,
  expiresAt: apiKey.expiresAt,
  isExpired: sql<boolean>`coalesce(${apiKey.expiresAt} <= now(), false)`,
  stale: sql<boolean>`${apiKey.lastUsedAt} is null or ${apiKey.lastUsedAt} < now() - interval '1 minute'`,
};

export const findApiKey = prepareOnce("find_key", (db) =>
  db
    .select(keyColumns)
    .from(apiKey)
    .innerJoin(wallet, and(eq(wallet.accountId, apiKey.accountId), isPrimary))
    .where(and(eq(apiKey.tokenHash, sql.placeholder("tokenHash")), isNull(apiKey.revokedAt))),
);

/** The key of an OAuth access token. A program may ask for fewer scopes than the key has. */
export const findGrantedKey = prepareOnce("find_granted_key", (db) =>
  db
    .select({
      ...keyColumns,
      scopes: sql<string[]>`array(select scope from unnest(${apiKey.scopes}) scope
        where scope = any(string_to_array(${oauthRecord.payload}->>'scope', ' ')))`,
    })
    .from(oauthRecord)
    .innerJoin(apiKey, eq(apiKey.grantId, oauthRecord.grantId))
    .innerJoin(wallet, and(eq(wallet.accountId, apiKey.accountId), isPrimary))
    .where(
      and(
        eq(oauthRecord.kind, "AccessToken"),
        eq(oauthRecord.idHash, sql.placeholder("tokenHash")),
        gt(oauthRecord.expiresAt, sql`now()`),
        isNull(apiKey.revokedAt),
      ),
    ),
);
