import { createRoute, z } from "@hono/zod-openapi";
import { eq } from "../../db/drizzle.ts";
import { session } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { requireServed } from "../chain/served-chain.ts";
import type { Context } from "../context.ts";
import { callerOf, requireSelf } from "../http/access.ts";
import { addressField, chainIdField, timeField } from "../http/fields.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import { removeSessionCookie } from "../http/session-cookie.ts";
import type { App } from "../variables.ts";
import { accountSchema, presentAccount } from "./account.ts";
import { startSession } from "./session.ts";
import { endSessions } from "./session-list.ts";
import { createProofRequest, nonceSchema, presentNonce, proveWallet, walletProof } from "./wallet-proof.ts";

const purposeField = z.enum(["sign_in", "link_wallet"]).openapi("NoncePurpose");

const nonceRequest = z
  .strictObject({
    address: addressField,
    chain_id: chainIdField.openapi({ example: 31_337 }),
    purpose: purposeField.default("sign_in").openapi({
      description:
        "the purpose of the signature, which the message states. `link_wallet` needs a session: `POST /auth/me/wallets` adds the wallet to its account",
    }),
  })
  .openapi("NonceRequest");

/** Adds the routes to sign in with a wallet (EIP-4361) and to sign out. */
export function addAuthentication(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "post",
      path: "/auth/nonce",
      operationId: "createNonce",
      tags: ["identity"],
      summary: "Create a message for a wallet to sign",
      security: [{}, { session: [] }] as Record<string, string[]>[],
      request: { body: jsonBody(nonceRequest) },
      responses: {
        200: jsonResponse(
          "The message, to be signed exactly as given, and its single-use nonce",
          nonceSchema,
        ),
        ...errorResponses("insufficient_scope", "insufficient_role"),
      },
    }),
    async (c) => {
      const { address, chain_id, purpose } = c.req.valid("json");
      requireServed(context, chain_id);
      const signed =
        purpose === "link_wallet"
          ? { purpose, accountId: (await requireSelf(context, c)).accountId }
          : { purpose };
      const created = await createProofRequest(context, { address, chainId: chain_id }, signed);
      return c.json(presentNonce(created), 200);
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
        "The first attempt uses up the nonce, even if it fails. The first sign-in of a wallet creates its account. A key is the same wallet on every chain. A contract wallet (ERC-1271) is known on the chain that the message names; its address on another chain is another wallet.",
      request: { body: jsonBody(walletProof) },
      responses: {
        200: jsonResponse(
          "A session",
          z
            .object({
              tokens: z
                .object({
                  access_token: z
                    .string()
                    .openapi({ example: "est_Zk3vQ0m8yHn2s5Lr7uWb1cXe4dGj6tPa9iFoKqRzTxY" }),
                  token_type: z.literal("Bearer"),
                  expires_at: timeField,
                })
                .openapi("SessionTokens"),
              account: accountSchema,
            })
            .openapi("SignIn"),
        ),
        ...errorResponses("unauthenticated", "conflict", "invalid_state"),
      },
    }),
    async (c) => {
      const proved = await proveWallet(context, c.req.valid("json"), "sign_in");
      const signedIn = await inTransaction(db, (tx) =>
        startSession(tx, context, c, proved, { holder: "program" }),
      );
      return c.json(
        {
          tokens: {
            access_token: signedIn.token,
            token_type: "Bearer" as const,
            expires_at: signedIn.session.expiresAt.toISOString(),
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
      description: "In the console, the answer also removes the cookie.",
      ...accessRule(context, "self"),
      responses: {
        200: jsonResponse("The session is ended", z.object({ revoked_at: timeField }).openapi("SignOut")),
      },
    }),
    async (c) => {
      const { credentialId } = callerOf(c);
      const [ended] = await endSessions(context, c, eq(session.id, credentialId));
      removeSessionCookie(context, c);
      return c.json({ revoked_at: (ended?.revokedAt ?? new Date()).toISOString() }, 200);
    },
  );
}
