import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { eq, sql } from "../../db/drizzle.ts";
import { apiKey } from "../../db/schema.ts";
import { refuseBannedAccount } from "../../trade/accounts/active-account.ts";
import { operatorSessionHours, readOperatorAccess } from "../../trade/moderation/operators.ts";
import { claimTokenPrefix } from "../../trade/purchases/sealed-terms.ts";
import type { Context } from "../context.ts";
import type { Variables } from "../variables.ts";
import {
  carriesToken,
  findApiKey,
  findGrantedKey,
  findSession,
  hashToken,
  keyPrefix,
  noteSessionUse,
  readToken,
  sessionPrefix,
} from "./access-tokens.ts";
import { ApiError } from "./api-error.ts";
import { requireKeptByBanned } from "./banned-access.ts";
import { type Caller, type MemberRole, type Scope, scopes } from "./caller.ts";
import { findClaimant } from "./claim-token.ts";
import { isInNetworks, originOf } from "./client-address.ts";

/**
 * The access rule of a route. A scope admits a key with this scope, and a session whose role allows it.
 * `any` admits any valid token. `session` admits a session of an owner or admin. `self` admits a session that acts for its
 * person's own account. `operator` admits such a session of an operator. `order` admits the scope `orders:read`, and the claim token of the order in the path.
 */
export type Access = Scope | "any" | "session" | "self" | "operator" | "order";

/** Whether the rule admits no key. */
export function needsSession(access: Access): access is "session" | "self" | "operator" {
  return access === "session" || access === "self" || access === "operator";
}

/** The scope that a key needs under this rule, or null. */
export function scopeOf(access: Access): Scope | null {
  if (access === "any" || needsSession(access)) return null;
  return access === "order" ? "orders:read" : access;
}

/**
 * Refuses callers whom the access rule does not allow.
 *
 * @throws ApiError `unauthenticated`, `insufficient_scope` for a key, `insufficient_role` for a session; Refusal `account_banned`
 */
export function requireAccess(context: Context, access: Access): MiddlewareHandler<{ Variables: Variables }> {
  return async (c, next) => {
    const claim = access === "order" ? readClaimToken(c) : undefined;
    const caller = claim
      ? await findClaimant(context, claim, c.req.param("id"))
      : await identifyCaller(context, c);
    if (claim && (await isContradicted(context, c))) throw refuseToken(c, contradiction);
    if (!caller) throw refuseToken(c, "This claim token is unknown or expired.");
    if (caller.role === null) requireScope(caller.scopes ?? [], access);
    else requireRole(caller, access);
    if (access === "operator") await requireOperator(context, caller);
    if (caller.isBanned) requireKeptByBanned(c);
    c.set("caller", caller);
    await next();
  };
}

function requireScope(held: readonly Scope[], access: Access): void {
  if (needsSession(access)) {
    throw new ApiError(
      "insufficient_scope",
      "This operation needs a session: sign in with your wallet. An API key cannot do it.",
    );
  }
  const scope = scopeOf(access);
  if (scope && !held.includes(scope)) {
    throw new ApiError("insufficient_scope", `This key lacks the scope ${scope}. Use a key that has it.`);
  }
}

/** @throws ApiError `insufficient_role` if the role of the session does not allow the access */
export function requireRole({ role, accountId, memberAccountId }: Caller, access: Access): void {
  if ((access === "self" || access === "operator") && accountId !== memberAccountId) {
    throw new ApiError(
      "insufficient_role",
      "This operation concerns your own account: send the request without the header X-Organisation.",
    );
  }
  if (access === "session" && role !== "owner" && role !== "admin") {
    throw new ApiError(
      "insufficient_role",
      `A ${role} may not do this for the organisation. Ask an owner or admin.`,
    );
  }
  if (role === "viewer" && access.endsWith(":write")) {
    throw new ApiError("insufficient_role", "A viewer may only read. Ask a developer, admin or owner.");
  }
}

/** @throws ApiError `insufficient_role` for a session that is not of an operator, or signed in too long ago */
async function requireOperator({ db }: Context, { credentialId }: Caller): Promise<void> {
  const access = await readOperatorAccess(db, credentialId);
  if (access === "operator") return;
  throw new ApiError(
    "insufficient_role",
    access === "stale"
      ? `An operator's session is accepted for ${operatorSessionHours} hours after its sign-in. Sign in again.`
      : "This operation is for the operators of the service.",
  );
}

/** The scopes that correspond to a role. */
export function scopesOf(role: MemberRole): Scope[] {
  const all = Object.keys(scopes) as Scope[];
  return role === "viewer" ? all.filter((scope) => scope.endsWith(":read")) : all;
}

/**
 * The caller, who must have a session for their own account. For a route that needs one under some conditions only.
 *
 * @throws ApiError `unauthenticated`, or `insufficient_scope` for a key
 */
export async function requireSelf(
  context: Context,
  c: HonoContext<{ Variables: Variables }>,
): Promise<Caller> {
  const caller = await identifyCaller(context, c);
  if (caller.role === null) requireScope([], "self");
  else requireRole(caller, "self");
  return caller;
}

/**
 * Recognises the owner on a public route, so that the owner can see more. The token, if one is sent, is a session's or a
 * key's with this scope.
 *
 * @throws ApiError `unauthenticated` for an invalid token: its sender believes that it is valid
 */
export function recogniseOwner(context: Context, scope: Scope): MiddlewareHandler<{ Variables: Variables }> {
  return async (c, next) => {
    if (carriesToken(c)) {
      const caller = await identifyCaller(context, c);
      if (caller.scopes === null || caller.scopes.includes(scope)) c.set("caller", caller);
    }
    await next();
  };
}

/** The caller whom `requireAccess` let through. */
export function callerOf(c: HonoContext<{ Variables: Variables }>): Caller {
  const caller = c.get("caller");
  if (!caller) throw new ApiError("unauthenticated", "Send a session token or an API key.");
  return caller;
}

async function identifyCaller(context: Context, c: HonoContext<{ Variables: Variables }>): Promise<Caller> {
  const caller = await readCaller(context, c);
  if (caller) return caller;
  if (readClaimToken(c)) {
    throw new ApiError(
      "insufficient_scope",
      "A claim token can only read its own order. To do more, sign in with the wallet that paid.",
    );
  }
  if (readKeyBeside(c) !== undefined) throw refuseToken(c, contradiction);
  throw refuseToken(
    c,
    readToken(c) || c.req.header("authorization")
      ? "This token is unknown, expired or revoked. Sign in again, or use another API key."
      : "Send a session token or an API key as `Authorization: Bearer ...`, or a key as `X-API-Key`.",
  );
}

function refuseToken(c: HonoContext<{ Variables: Variables }>, message: string): ApiError {
  c.header("WWW-Authenticate", 'Bearer realm="earnest"');
  return new ApiError("unauthenticated", message);
}

function readClaimToken(c: HonoContext<{ Variables: Variables }>): string | undefined {
  const token = readToken(c);
  return token?.startsWith(claimTokenPrefix) ? token : undefined;
}

/** The caller whose token the request carries; null for a missing or invalid token. The result is cached in the request. */
export async function readCaller(
  context: Context,
  c: HonoContext<{ Variables: Variables }>,
): Promise<Caller | null> {
  const before = c.get("recognised");
  if (before !== undefined) return before;
  const token = readToken(c);
  // A claim token is not a token of an account: its requests count against the sender's address.
  const known = token && !token.startsWith(claimTokenPrefix);
  const found = known ? await findCaller(context, c, token) : null;
  const caller = found && (await isContradicted(context, c, found.accountId)) ? null : found;
  c.set("recognised", caller);
  return caller;
}

const contradiction =
  "Authorization and X-API-Key must both be valid tokens of the same account. Send only one of them.";
/** Whether a second token in `X-API-Key` is invalid or belongs to another account. */
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

/** The value of `X-API-Key`, if the header `Authorization` carries another token. */
function readKeyBeside(c: HonoContext<{ Variables: Variables }>): string | undefined {
  const key = c.req.header("x-api-key");
  return c.req.header("authorization") === undefined || key === readToken(c) ? undefined : key;
}

/**
 * @throws ApiError `insufficient_role` for an organisation that the token does not act for, `unauthenticated` for an
 *   expired key, `address_not_allowed` for a key that is restricted to other networks
 */
async function findCaller(
  { db }: Context,
  c: HonoContext<{ Variables: Variables }>,
  token: string,
): Promise<Caller | null> {
  const organisation = c.req.header("x-organisation");
  const tokenHash = hashToken(token);
  if (token.startsWith(sessionPrefix)) {
    const holder = token === c.get("cookieToken") ? "browser" : "program";
    const sessionKey = { tokenHash, holder, organisation: organisation ?? "" };
    const [row] = await findSession(db).execute(sessionKey);
    if (!row) return null;
    const { stale, banned: bannedIds, ...caller } = row;
    requireActing(row.accountId, organisation);
    const isBanned = checkBan(bannedIds, row.accountId);
    if (stale) await noteSessionUse(db).execute({ id: row.credentialId, network: originOf(c).network });
    // A person is the owner of their own account.
    return { ...caller, role: row.role ?? "owner", scopes: null, keyId: null, isBanned };
  }
  // An access token of OAuth has no prefix.
  const find = token.startsWith(keyPrefix) ? findApiKey : findGrantedKey;
  const [row] = await find(db).execute({ tokenHash });
  if (!row) return null;
  const { stale, createdBy, allowedIps, expiresAt, isExpired, banned: bannedIds, ...caller } = row;
  if (isExpired) throw refuseToken(c, `This API key expired at ${expiresAt?.toISOString()}.`);
  const clientAddress = c.get("clientAddress");
  if (allowedIps && !(clientAddress && isInNetworks(clientAddress, allowedIps))) {
    throw new ApiError(
      "address_not_allowed",
      `This API key may not be used from ${clientAddress ?? "the origin of this request"}: it is restricted to other networks.`,
    );
  }
  requireActing(row.accountId, organisation);
  // A write for each request would cost more than the request. Minutes are precise enough for "last used".
  if (stale) await db.update(apiKey).set({ lastUsedAt: sql`now()` }).where(eq(apiKey.id, row.credentialId));
  return {
    ...caller,
    scopes: row.scopes as Scope[],
    keyId: row.credentialId,
    memberAccountId: createdBy ?? row.accountId,
    role: null,
    isBanned: checkBan(bannedIds, row.accountId),
  };
}

/**
 * Returns whether the account that a credential acts for is banned.
 *
 * @throws Refusal `account_banned` for a banned person who acts for another account, or whose key does
 */
function checkBan(bannedIds: readonly string[], accountId: string): boolean {
  if (bannedIds.some((id) => id !== accountId)) throw refuseBannedAccount();
  return bannedIds.length > 0;
}

function requireActing(accountId: string, organisation: string | undefined): void {
  if (organisation === undefined || organisation === accountId) return;
  throw new ApiError(
    "insufficient_role",
    "X-Organisation: this token does not act for this organisation. GET /organisations lists yours.",
  );
}
