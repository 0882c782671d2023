import { createRoute, z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { and, eq } from "../../db/drizzle.ts";
import { account, session, wallet } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Context } from "../context.ts";
import { readCaller } from "../http/access.ts";
import { carriesToken } from "../http/access-tokens.ts";
import { ApiError } from "../http/api-error.ts";
import { orNull } from "../http/fields.ts";
import { errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import { giveSessionCookie, requireConsole } from "../http/session-cookie.ts";
import type { App, Variables } from "../variables.ts";
import { accountSchema, presentAccount } from "./account.ts";
import { presentSession, sessionSchema, startSession } from "./session.ts";
import { proveWallet, walletProof } from "./wallet-proof.ts";

export const browserSessionSchema = z
  .object({ session: sessionSchema, account: accountSchema })
  .openapi("BrowserSession");

/** Gives the browser a session that was started for it, and presents the session. */
export function giveSession(
  context: Context,
  c: HonoContext<{ Variables: Variables }>,
  started: Awaited<ReturnType<typeof startSession>>,
): z.output<typeof browserSessionSchema> {
  const { token, session: row, account: owner, primaryAddress } = started;
  giveSessionCookie(context, c, token, row.endsAt ?? row.expiresAt);
  return { session: presentSession(row, row.id), account: presentAccount(owner, primaryAddress) };
}

/** Adds the routes that start and read the session of the console in this browser. */
export function addBrowserSession(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/session",
      operationId: "readSession",
      tags: ["identity"],
      summary: "Read this session",
      description: "`current` is null for a browser without a valid session, and for an API key.",
      security: [{}, { session: [] }] as Record<string, string[]>[],
      responses: {
        200: jsonResponse(
          "The session and the person's own account",
          z.object({ current: orNull(browserSessionSchema) }).openapi("CurrentSession"),
        ),
        ...errorResponses("unauthenticated"),
      },
    }),
    async (c) => {
      const caller = await readCaller(context, c);
      if (!caller && c.get("cookieToken") === undefined && carriesToken(c)) {
        throw new ApiError("unauthenticated", "This token is unknown, expired or revoked. Sign in again.");
      }
      if (!caller?.role) return c.json({ current: null }, 200);
      const [row] = await db
        .select({ session, account, primaryAddress: wallet.address })
        .from(session)
        .innerJoin(account, eq(account.id, session.accountId))
        .innerJoin(wallet, and(eq(wallet.accountId, account.id), wallet.isPrimary))
        .where(eq(session.id, caller.credentialId));
      if (!row) return c.json({ current: null }, 200);
      const current = {
        session: presentSession(row.session, caller.credentialId),
        account: presentAccount(row.account, row.primaryAddress),
      };
      return c.json({ current }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/session",
      operationId: "startSession",
      tags: ["identity"],
      summary: "Sign this browser in",
      description:
        "For the console's pages, with the header `Earnest-Console`. The answer sets a cookie that no script can read. Programs sign in with `POST /auth/signin`.",
      request: { body: jsonBody(walletProof) },
      responses: {
        200: jsonResponse("The session", browserSessionSchema),
        ...errorResponses("unauthenticated", "forbidden_origin", "conflict", "invalid_state"),
      },
    }),
    async (c) => {
      requireConsole(c);
      const proved = await proveWallet(context, c.req.valid("json"), "sign_in");
      const started = await inTransaction(db, (tx) =>
        startSession(tx, context, c, proved, { holder: "browser" }),
      );
      return c.json(giveSession(context, c, started), 200);
    },
  );
}
