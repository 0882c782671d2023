import { createHash, randomBytes } from "node:crypto";
import { and, eq, gt, isNull, sql } from "drizzle-orm";
import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { prepareOnce } from "../../db/client.ts";
import { apiKey, organisationMember, session, wallet } from "../../db/schema.ts";
import { claimPrefix } from "../../trade/purchases/sealed-terms.ts";
import type { Context } from "../context.ts";
import type { Variables } from "../variables.ts";
import { ApiError } from "./api-error.ts";
import { type Caller, type Role, type Scope, scopes } from "./caller.ts";
import { findClaimant } from "./claimant.ts";
import { isWithin } from "./client-address.ts";

/**
 * What a route asks of its caller: any valid token, a scope, a session of an owner or admin ("session"), a session that
 * acts for its person's own account ("self"), or what may read the order in its path ("order"): the scope `orders:read`,
 * or the claim token of this very order.
 */
export type Access = Scope | "any" | "session" | "self" | "order";

/** The scope that a key needs, where one does. */
export function scopeOf(access: Access): Scope | null {
  if (access === "any" || access === "session" || access === "self") return null;
  return access === "order" ? "orders:read" : access;
}

const sessionPrefix = "est_";
const keyPrefix = "esk_";

/** Makes a token of 256 random bits; only its hash is ever stored. */
export function createToken(kind: "session" | "key"): { token: string; tokenHash: string } {
  const token = (kind === "session" ? sessionPrefix : keyPrefix) + randomBytes(32).toString("base64url");
  return { token, tokenHash: hashToken(token) };
}

function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/**
 * Lets through only who may.
 *
 * @throws ApiError `unauthenticated`, `insufficient_scope` for a key, `insufficient_role` for a session
 */
export function requireAccess(context: Context, access: Access): MiddlewareHandler<{ Variables: Variables }> {
  return async (c, next) => {
    const claim = access === "order" ? readClaimToken(c) : undefined;
    const caller = claim ? await findClaimant(context, claim, c.req.param("id")) : await identify(context, c);
    if (claim && (await isContradicted(context, c))) throw refuseToken(c, contradiction);
    if (!caller) throw refuseToken(c, "This claim token is unknown, or over.");
    if (caller.role === null) requireScope(caller.scopes ?? [], access);
    else requireRole(caller, access);
    c.set("caller", caller);
    await next();
  };
}

function requireScope(held: readonly Scope[], access: Access): void {
  if (access === "session" || access === "self") {
    throw new ApiError(
      "insufficient_scope",
      "This needs a session: sign in with your wallet. A key cannot do it.",
    );
  }
  const scope = scopeOf(access);
  if (scope && !held.includes(scope)) {
    throw new ApiError("insufficient_scope", `This key lacks the scope ${scope}.`);
  }
}

/** @throws ApiError `insufficient_role` for what a session's role does not allow */
export function requireRole({ role, accountId, memberAccountId }: Caller, access: Access): void {
  if (access === "self" && accountId !== memberAccountId) {
    throw new ApiError(
      "insufficient_role",
      "This is about your own account: send it without the header X-Organisation.",
    );
  }
  if (access === "session" && role !== "owner" && role !== "admin") {
    throw new ApiError("insufficient_role", `A ${role} cannot do this for the organisation; an admin can.`);
  }
  if (role === "viewer" && access.endsWith(":write")) {
    throw new ApiError("insufficient_role", "A viewer reads only; a developer can do this.");
  }
}

/** The scopes that a role amounts to. */
export function scopesOf(role: Role): Scope[] {
  const all = Object.keys(scopes) as Scope[];
  return role === "viewer" ? all.filter((scope) => scope.endsWith(":read")) : all;
}

/**
 * The caller of a session of their own, for a route that needs one under some conditions only.
 *
 * @throws ApiError `unauthenticated`, or `insufficient_scope` for a key
 */
export async function requireSelf(
  context: Context,
  c: HonoContext<{ Variables: Variables }>,
): Promise<Caller> {
  const caller = await identify(context, c);
  if (caller.role === null) requireScope([], "self");
  else requireRole(caller, "self");
  return caller;
}

/**
 * For what anybody may read, and its owner more of: recognises a session or a key with this scope, if one is sent.
 *
 * @throws ApiError `unauthenticated` for a token that is not valid: its sender believes that it is
 */
export function recogniseOwner(context: Context, scope: Scope): MiddlewareHandler<{ Variables: Variables }> {
  return async (c, next) => {
    if (c.req.header("authorization") !== undefined || c.req.header("x-api-key") !== undefined) {
      const caller = await identify(context, c);
      if (caller.scopes === null || caller.scopes.includes(scope)) c.set("caller", caller);
    }
    await next();
  };
}

/** The caller that `requireAccess` let through. */
export function callerOf(c: HonoContext<{ Variables: Variables }>): Caller {
  const caller = c.get("caller");
  if (!caller) throw new ApiError("unauthenticated", "Send a session token or an API key.");
  return caller;
}

async function identify(context: Context, c: HonoContext<{ Variables: Variables }>): Promise<Caller> {
  const caller = await recognise(context, c);
  if (caller) return caller;
  if (readClaimToken(c)) {
    throw new ApiError(
      "insufficient_scope",
      "A claim token reads its own order and does nothing else: sign in with the wallet that paid.",
    );
  }
  if (readKeyBeside(c) !== undefined) throw refuseToken(c, contradiction);
  throw refuseToken(
    c,
    readToken(c) || c.req.header("authorization")
      ? "This token is unknown, expired or revoked."
      : "Send a session token or an API key as `Authorization: Bearer ...`, or a key as `X-API-Key`.",
  );
}

function refuseToken(c: HonoContext, message: string): ApiError {
  c.header("WWW-Authenticate", 'Bearer realm="earnest"');
  return new ApiError("unauthenticated", message);
}

function readClaimToken(c: HonoContext): string | undefined {
  const token = readToken(c);
  return token?.startsWith(claimPrefix) ? token : undefined;
}

/** Whose token a request carries, on whatever route; null without one, or with one that is not valid. Asked once. */
export async function recognise(
  context: Context,
  c: HonoContext<{ Variables: Variables }>,
): Promise<Caller | null> {
  const before = c.get("recognised");
  if (before !== undefined) return before;
  const token = readToken(c);
  // A claim is no token of an account: whoever holds one counts by the address they come from.
  const known = token && !token.startsWith(claimPrefix);
  const found = known ? await findCaller(context, c, token) : null;
  const caller = found && (await isContradicted(context, c, found.accountId)) ? null : found;
  c.set("recognised", caller);
  return caller;
}

const contradiction =
  "Authorization and X-API-Key are both sent: both must be valid, and of one account. One of them is enough.";

/** Whether a key is sent beside the token that counts, and is not valid, or another account's. */
async function isContradicted(
  context: Context,
  c: HonoContext<{ Variables: Variables }>,
  accountId?: string,
): Promise<boolean> {
  const key = readKeyBeside(c);
  if (key === undefined) return false;
  const other = await findCaller(context, c, key);
  return other === null || (accountId !== undefined && other.accountId !== accountId);
}

/** The key of a request that has another token in its header `Authorization`. */
function readKeyBeside(c: HonoContext): string | undefined {
  const key = c.req.header("x-api-key");
  return c.req.header("authorization") === undefined || key === readToken(c) ? undefined : key;
}

/** The token that a request carries, valid or not. */
export function readToken(c: HonoContext): string | undefined {
  const authorization = c.req.header("authorization");
  if (authorization === undefined) return c.req.header("x-api-key");
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1];
}

const isPrimary = sql`${wallet.isPrimary}`;

const findSession = prepareOnce("find_session", (db) => {
  // The role is read with every request: who was removed may do nothing from then on.
  const actedFor = sql<string>`case when ${organisationMember.role} is null
    then ${session.accountId} else ${organisationMember.accountId} end`;
  return db
    .select({
      accountId: actedFor,
      primaryAddress: wallet.address,
      credentialId: session.id,
      memberAccountId: session.accountId,
      role: organisationMember.role,
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
        isNull(session.revokedAt),
        gt(session.expiresAt, sql`now()`),
      ),
    );
});

const findKey = prepareOnce("find_key", (db) =>
  db
    .select({
      accountId: apiKey.accountId,
      primaryAddress: wallet.address,
      credentialId: apiKey.id,
      createdBy: apiKey.createdBy,
      scopes: apiKey.scopes,
      allowedIps: apiKey.allowedIps,
      expiresAt: apiKey.expiresAt,
      isExpired: sql<boolean>`coalesce(${apiKey.expiresAt} <= now(), false)`,
      stale: sql<boolean>`${apiKey.lastUsedAt} is null or ${apiKey.lastUsedAt} < now() - interval '1 minute'`,
    })
    .from(apiKey)
    .innerJoin(wallet, and(eq(wallet.accountId, apiKey.accountId), isPrimary))
    .where(and(eq(apiKey.tokenHash, sql.placeholder("tokenHash")), isNull(apiKey.revokedAt))),
);

/**
 * @throws ApiError `insufficient_role` for an organisation that the token does not act for, `unauthenticated` for a key
 *   whose time is over, `address_not_allowed` for one that is bound to other networks
 */
async function findCaller(
  { db }: Context,
  c: HonoContext<{ Variables: Variables }>,
  token: string,
): Promise<Caller | null> {
  const organisation = c.req.header("x-organisation");
  const tokenHash = hashToken(token);
  if (token.startsWith(sessionPrefix)) {
    const [row] = await findSession(db).execute({ tokenHash, organisation: organisation ?? "" });
    if (!row) return null;
    requireActing(row.accountId, organisation);
    // Every account is an organisation that its own person owns.
    return { ...row, role: row.role ?? "owner", scopes: null, keyId: null };
  }
  const [row] = await findKey(db).execute({ tokenHash });
  if (!row) return null;
  const { stale, createdBy, allowedIps, expiresAt, isExpired, ...caller } = row;
  if (isExpired) throw refuseToken(c, `This API key expired at ${expiresAt?.toISOString()}.`);
  const clientAddress = c.get("clientAddress");
  if (allowedIps && !(clientAddress && isWithin(clientAddress, allowedIps))) {
    throw new ApiError(
      "address_not_allowed",
      `This API key is not taken from ${clientAddress ?? "where this request came from"}: it is bound to other networks.`,
    );
  }
  requireActing(row.accountId, organisation);
  // A write per request would cost more than the request; a minute is fine enough for "last used".
  if (stale) await db.update(apiKey).set({ lastUsedAt: sql`now()` }).where(eq(apiKey.id, row.credentialId));
  return {
    ...caller,
    scopes: row.scopes as Scope[],
    keyId: row.credentialId,
    memberAccountId: createdBy ?? row.accountId,
    role: null,
  };
}

function requireActing(accountId: string, organisation: string | undefined): void {
  if (organisation === undefined || organisation === accountId) return;
  throw new ApiError(
    "insufficient_role",
    "X-Organisation names no organisation that this token acts for; GET /organisations lists yours.",
  );
}
