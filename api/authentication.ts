import { createRoute, z } from "@hono/zod-openapi";
import { and, eq, isNull, sql } from "drizzle-orm";
import { typeid } from "typeid-js";
import { type Address, getAddress, type Hex, isErc6492Signature, isHex, verifyMessage } from "viem";
import { createSiweMessage, generateSiweNonce } from "viem/siwe";
import type { Transaction } from "../db/client.ts";
import { account, session, signInNonce, wallet } from "../db/schema.ts";
import { callerOf, createToken } from "./access.ts";
import { accountSchema, presentAccount } from "./account.ts";
import { recordAudit } from "./audit.ts";
import type { App, Context } from "./context.ts";
import { ApiError } from "./errors.ts";
import { addressField, shownAddress, timeField } from "./fields.ts";
import { answer, guarded, jsonBody, refusals } from "./openapi.ts";

const statement = "Sign in to Earnest. This starts a session; it sends no transaction and moves no money.";

const nonceRequest = z
  .strictObject({ address: addressField, chain_id: z.int().positive().openapi({ example: 31_337 }) })
  .openapi("NonceRequest");

const signInRequest = z
  .strictObject({
    message: z.string().max(5000).openapi({ description: "as `POST /auth/nonce` gave it, to the letter" }),
    nonce: z.string().max(200),
    signature: z
      .string()
      .max(20_000)
      .refine((value) => isHex(value) && value.length % 2 === 0, "must be 0x and whole bytes in hex")
      .openapi({
        description: "of the message by the wallet (EIP-191), or as its contract takes it (ERC-1271)",
      }),
  })
  .openapi("SignInRequest");

/** Signing in with a wallet (EIP-4361), and signing out. */
export function addAuthentication(app: App, context: Context): void {
  const { config, db } = context;

  app.openapi(
    createRoute({
      method: "post",
      path: "/auth/nonce",
      operationId: "createNonce",
      tags: ["identity"],
      summary: "Ask for a message to sign in with",
      request: { body: jsonBody(nonceRequest) },
      responses: {
        200: answer(
          "The message to be signed exactly as given, and its single-use nonce",
          z.object({ message: z.string(), nonce: z.string(), expires_at: timeField }).openapi("Nonce"),
        ),
      },
    }),
    async (c) => {
      const { address, chain_id } = c.req.valid("json");
      if (!context.chain(chain_id)) {
        const served = config.chains.map((chain) => chain.chain_id).join(", ") || "none";
        throw new ApiError("invalid_request", `Chain ${chain_id} is not served here; these are: ${served}.`, [
          { path: "/chain_id", keyword: "enum", message: `must be one of: ${served}` },
        ]);
      }
      const url = new URL(config.publicUrl);
      const nonce = generateSiweNonce();
      const issuedAt = new Date();
      const expiresAt = new Date(issuedAt.getTime() + config.nonceSeconds * 1000);
      const message = createSiweMessage({
        address,
        chainId: chain_id,
        domain: url.host,
        uri: url.origin,
        version: "1",
        statement,
        nonce,
        issuedAt,
        expirationTime: expiresAt,
      });
      // Anyone may ask, so what nobody came back for is cleared here, not by a job that could fall behind.
      await db.delete(signInNonce).where(sql`${signInNonce.expiresAt} < now() - interval '1 day'`);
      await db.insert(signInNonce).values({ nonce, address, chainId: chain_id, message, expiresAt });
      return c.json({ message, nonce, expires_at: expiresAt.toISOString() }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/auth/signin",
      operationId: "signIn",
      tags: ["identity"],
      summary: "Sign in with a signed message",
      description:
        "The nonce is used up by the first attempt, whatever comes of it. The first sign-in of a wallet makes its account.",
      request: { body: jsonBody(signInRequest) },
      responses: {
        200: answer(
          "A session",
          z
            .object({
              tokens: z.object({
                access_token: z.string(),
                token_type: z.literal("Bearer"),
                expires_at: timeField,
              }),
              account: accountSchema,
            })
            .openapi("SignIn"),
        ),
        ...refusals("unauthenticated"),
      },
    }),
    async (c) => {
      const { message, nonce, signature } = c.req.valid("json");
      const { address, chainId } = await burnNonce(nonce, message);
      if (!(await isSignedBy(address, chainId, message, signature as Hex))) {
        throw new ApiError(
          "unauthenticated",
          `This is no signature of the message by ${getAddress(address)}.`,
        );
      }
      const { token, tokenHash } = createToken("session");
      const expiresAt = new Date(Date.now() + config.sessionSeconds * 1000);
      const signedIn = await db.transaction(async (tx) => {
        const owner = await findOrCreateAccount(tx, address);
        const credentialId = typeid("ses").toString();
        const accountId = owner.account.id;
        await tx.insert(session).values({ id: credentialId, accountId, tokenHash, expiresAt });
        await recordAudit(tx, c, {
          action: "session.created",
          target: credentialId,
          data: { address: getAddress(address) },
          by: { accountId, actorAccountId: accountId, credentialId },
        });
        return owner;
      });
      return c.json(
        {
          tokens: {
            access_token: token,
            token_type: "Bearer" as const,
            expires_at: expiresAt.toISOString(),
          },
          account: presentAccount(signedIn.account, signedIn.primaryAddress),
        },
        200,
      );
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/auth/logout",
      operationId: "signOut",
      tags: ["identity"],
      summary: "End this session",
      ...guarded(context, "session"),
      responses: {
        200: answer("The session's end", z.object({ revoked_at: timeField }).openapi("SignOut")),
      },
    }),
    async (c) => {
      const revokedAt = new Date();
      const { credentialId } = callerOf(c);
      await db.transaction(async (tx) => {
        await tx.update(session).set({ revokedAt }).where(eq(session.id, credentialId));
        await recordAudit(tx, c, { action: "session.ended", target: credentialId });
      });
      return c.json({ revoked_at: revokedAt.toISOString() }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "get",
      path: "/auth/me/wallets",
      operationId: "listWallets",
      tags: ["identity"],
      summary: "List your verified wallets",
      ...guarded(context, "any"),
      responses: {
        200: answer(
          "Your wallets",
          z
            .object({
              items: z.array(
                z.object({
                  id: z.string().openapi({ example: "wal_01jd3w8x2mfhz8w9q4t6n5k7ra" }),
                  address: shownAddress,
                  is_primary: z.boolean(),
                  verified_at: timeField,
                }),
              ),
            })
            .openapi("Wallets"),
        ),
      },
    }),
    async (c) => {
      const wallets = await db
        .select()
        .from(wallet)
        .where(eq(wallet.accountId, callerOf(c).accountId))
        .orderBy(wallet.createdAt, wallet.id);
      const items = wallets.map((row) => ({
        id: row.id,
        address: getAddress(row.address),
        is_primary: row.isPrimary,
        verified_at: row.verifiedAt.toISOString(),
      }));
      return c.json({ items }, 200);
    },
  );

  /** Uses up a nonce in a statement of its own, so that nothing that happens later gives it back. */
  async function burnNonce(nonce: string, message: string) {
    const [burned] = await db
      .update(signInNonce)
      .set({ usedAt: sql`now()` })
      .where(and(eq(signInNonce.nonce, nonce), isNull(signInNonce.usedAt)))
      .returning({
        address: signInNonce.address,
        chainId: signInNonce.chainId,
        message: signInNonce.message,
        expired: sql<boolean>`${signInNonce.expiresAt} <= now()`,
      });
    const again = "Ask POST /auth/nonce for a new one.";
    if (!burned) throw new ApiError("unauthenticated", `This nonce is unknown or was used before. ${again}`);
    if (burned.expired) throw new ApiError("unauthenticated", `This nonce has expired. ${again}`);
    if (burned.message !== message) {
      throw new ApiError("unauthenticated", `This is not the message that came with the nonce. ${again}`);
    }
    return burned;
  }

  async function isSignedBy(address: Address, chainId: number, message: string, signature: Hex) {
    const byKey = await verifyMessage({ address, message, signature }).catch(() => false);
    if (byKey) return true;
    const served = context.chain(chainId);
    if (!served) return false;
    // Asked first: the check itself takes an unreachable chain for a bad signature.
    const code = await served.client.getCode({ address });
    if (!code && !isErc6492Signature(signature)) return false;
    return served.client.verifyMessage({ address, message, signature });
  }
}

/** The account of a wallet; made, with the wallet as its primary one, where there is none. */
async function findOrCreateAccount(tx: Transaction, address: Address) {
  // Two first sign-ins of one wallet take turns: the second finds the account of the first.
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${address.toLowerCase()}, 0))`);
  const [known] = await tx
    .select({ account })
    .from(wallet)
    .innerJoin(account, eq(account.id, wallet.accountId))
    .where(eq(wallet.address, address));
  if (known) {
    const [primary] = await tx
      .select({ address: wallet.address })
      .from(wallet)
      .where(and(eq(wallet.accountId, known.account.id), eq(wallet.isPrimary, true)));
    return { account: known.account, primaryAddress: primary?.address ?? address };
  }
  const [created] = await tx
    .insert(account)
    .values({ id: typeid("acc").toString() })
    .returning();
  if (!created) throw new Error("The database returned no account.");
  await tx
    .insert(wallet)
    .values({ id: typeid("wal").toString(), accountId: created.id, address, isPrimary: true });
  return { account: created, primaryAddress: address };
}
