import { createHash, randomBytes } from "node:crypto";
import { and, eq, gt, isNull, sql } from "drizzle-orm";
import type { Context as HonoContext, MiddlewareHandler } from "hono";
import type { Address } from "viem";
import { apiKey, session, wallet } from "../db/schema.ts";
import type { Context, Variables } from "./context.ts";
import { ApiError } from "./errors.ts";

/** The scopes a key may carry (spec, Authentication), each with what it grants. */
export const scopes = {
  "marketplace:read": "browse public agents, services and categories",
  "agents:read": "read the agents you own, including drafts",
  "agents:write": "create, update and change the status of your agents",
  "services:read": "read the services your agents offer, including drafts",
  "services:write": "create, update and change the status of your services",
  "orders:read": "read orders placed or received",
  "orders:write": "place orders and act on orders received",
  "webhooks:read": "read webhook endpoints and delivery history",
  "webhooks:write": "register and revoke webhook endpoints",
  "subscriptions:read": "read own subscriptions and payment history",
} as const;
export type Scope = keyof typeof scopes;

/** Who is calling. A session may do all that its owner may; a key only what its scopes say. */
export type Caller = {
  accountId: string;
  primaryAddress: Address;
  /** null for a session */
  scopes: Scope[] | null;
  /** the session's or the key's id */
  credentialId: string;
};

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
 * Lets through only who may: anybody with a valid session or key ("any"), only a session ("session"), or whoever
 * holds this scope.
 *
 * @throws ApiError `unauthenticated` or `insufficient_scope`
 */
export function requireAccess(
  context: Context,
  access: Scope | "any" | "session",
): MiddlewareHandler<{ Variables: Variables }> {
  return async (c, next) => {
    const caller = await (access === "session" ? requireSession(context, c) : identify(context, c));
    if (access !== "any" && access !== "session" && caller.scopes && !caller.scopes.includes(access)) {
      throw new ApiError("insufficient_scope", `This key lacks the scope ${access}.`);
    }
    c.set("caller", caller);
    await next();
  };
}

/**
 * The caller of a session, for a route that needs one under some conditions only.
 *
 * @throws ApiError `unauthenticated`, or `insufficient_scope` for a key
 */
export async function requireSession(
  context: Context,
  c: HonoContext<{ Variables: Variables }>,
): Promise<Caller> {
  const caller = await identify(context, c);
  if (caller.scopes === null) return caller;
  throw new ApiError(
    "insufficient_scope",
    "This needs a session: sign in with your wallet. A key cannot do it.",
  );
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
  c.header("WWW-Authenticate", 'Bearer realm="earnest"');
  throw new ApiError(
    "unauthenticated",
    readToken(c) || c.req.header("authorization")
      ? "This token is unknown, expired or revoked."
      : "Send a session token or an API key as `Authorization: Bearer ...`, or a key as `X-API-Key`.",
  );
}

/** Whose token a request carries, on whatever route; null without one, or with one that is not valid. Asked once. */
export async function recognise(
  context: Context,
  c: HonoContext<{ Variables: Variables }>,
): Promise<Caller | null> {
  const known = c.get("recognised");
  if (known !== undefined) return known;
  const token = readToken(c);
  const caller = token ? await findCaller(context, token) : null;
  c.set("recognised", caller);
  return caller;
}

/** The token that a request carries, valid or not. */
export function readToken(c: HonoContext): string | undefined {
  const authorization = c.req.header("authorization");
  if (authorization === undefined) return c.req.header("x-api-key");
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1];
}

async function findCaller({ db }: Context, token: string): Promise<Caller | null> {
  const tokenHash = hashToken(token);
  const primary = eq(wallet.isPrimary, true);
  if (token.startsWith(sessionPrefix)) {
    const [row] = await db
      .select({ accountId: session.accountId, primaryAddress: wallet.address, credentialId: session.id })
      .from(session)
      .innerJoin(wallet, and(eq(wallet.accountId, session.accountId), primary))
      .where(
        and(eq(session.tokenHash, tokenHash), isNull(session.revokedAt), gt(session.expiresAt, sql`now()`)),
      );
    return row ? { ...row, scopes: null } : null;
  }
  const [row] = await db
    .select({
      accountId: apiKey.accountId,
      primaryAddress: wallet.address,
      credentialId: apiKey.id,
      scopes: apiKey.scopes,
      stale: sql<boolean>`${apiKey.lastUsedAt} is null or ${apiKey.lastUsedAt} < now() - interval '1 minute'`,
    })
    .from(apiKey)
    .innerJoin(wallet, and(eq(wallet.accountId, apiKey.accountId), primary))
    .where(and(eq(apiKey.tokenHash, tokenHash), isNull(apiKey.revokedAt)));
  if (!row) return null;
  const { stale, ...caller } = row;
  // A write per request would cost more than the request; a minute is fine enough for "last used".
  if (stale) await db.update(apiKey).set({ lastUsedAt: sql`now()` }).where(eq(apiKey.id, row.credentialId));
  return { ...caller, scopes: row.scopes as Scope[] };
}
