import { createRoute, z } from "@hono/zod-openapi";
import { getAddress } from "viem";
import type { Transaction } from "../../db/client.ts";
import { and, eq, isNull, ne } from "../../db/drizzle.ts";
import { agent, session, wallet } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { WalletRow } from "../../db/wallets.ts";
import { caps, requireBelowCap } from "../../trade/account-caps.ts";
import { claimWallet, insertWallet } from "../../trade/accounts/wallet-claim.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { ApiError } from "../http/api-error.ts";
import { recordAudit } from "../http/audit-log.ts";
import { chainIdField, idField, shownAddress, timeField } from "../http/fields.ts";
import { accessRule, errorResponses, jsonBody, jsonResponse } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { proveWallet, walletProof } from "./wallet-proof.ts";

const walletSchema = z
  .object({
    id: idField("wal"),
    address: shownAddress,
    chain_id: chainIdField.nullable().openapi({
      description: "the chain of a contract wallet; null for a key, which is the same wallet on every chain",
    }),
    is_primary: z.boolean(),
    verified_at: timeField,
  })
  .openapi("Wallet");

function presentWallet(row: WalletRow) {
  return {
    id: row.id,
    address: getAddress(row.address),
    chain_id: row.chainId,
    is_primary: row.isPrimary,
    verified_at: row.verifiedAt.toISOString(),
  };
}

const walletParams = z.object({ id: idField("wal") });

/** Adds the routes of an account's wallets. A wallet is proved by its signature and belongs to one account. */
export function addWallets(app: App, context: Context): void {
  const { db } = context;

  app.openapi(
    createRoute({
      method: "get",
      path: "/auth/me/wallets",
      operationId: "listWallets",
      tags: ["identity"],
      summary: "List your verified wallets",
      ...accessRule(context, "any"),
      responses: {
        200: jsonResponse("Your wallets", z.object({ items: z.array(walletSchema) }).openapi("Wallets")),
      },
    }),
    async (c) => {
      const wallets = await db
        .select()
        .from(wallet)
        .where(eq(wallet.accountId, callerOf(c).accountId))
        .orderBy(wallet.createdAt, wallet.id);
      return c.json({ items: wallets.map(presentWallet) }, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "post",
      path: "/auth/me/wallets",
      operationId: "addWallet",
      tags: ["identity"],
      summary: "Add a wallet to your account",
      description:
        "The proof is a message of `POST /auth/nonce` with the purpose `link_wallet`, made in a session of this account and signed by the wallet. The wallet may then sign in, receive payments and place orders for the account.",
      ...accessRule(context, "self"),
      request: { body: jsonBody(walletProof) },
      responses: {
        200: jsonResponse("The wallet, which is yours already", walletSchema),
        201: jsonResponse("The wallet", walletSchema),
        ...errorResponses("conflict"),
      },
    }),
    async (c) => {
      const { accountId } = callerOf(c);
      const proved = await proveWallet(context, c.req.valid("json"), "link_wallet");
      if (proved.accountId !== accountId) {
        throw new ApiError(
          "unauthenticated",
          "This message adds the wallet to another account. Get a new message from POST /auth/nonce.",
        );
      }
      const { row, isNew } = await inTransaction(db, async (tx) => {
        const known = await claimWallet(tx, proved);
        if (known?.account.id === accountId) return { row: known.wallet, isNew: false };
        if (known) {
          throw new ApiError(
            "conflict",
            "This wallet belongs to another account, because it signed in by itself.",
            [{ path: "/message", keyword: "unique", message: "is by a wallet of another account" }],
          );
        }
        const own = [wallet, eq(wallet.accountId, accountId)] as const;
        await requireBelowCap(tx, accountId, [...own], caps.wallets, "wallets");
        const added = await insertWallet(tx, accountId, proved);
        await recordAudit(tx, c, {
          action: "wallet.added",
          target: added.id,
          data: { address: getAddress(added.address), chain_id: added.chainId?.toString() ?? null },
        });
        return { row: added, isNew: true };
      });
      return isNew ? c.json(presentWallet(row), 201) : c.json(presentWallet(row), 200);
    },
  );

  app.openapi(
    createRoute({
      method: "delete",
      path: "/auth/me/wallets/{id}",
      operationId: "removeWallet",
      tags: ["identity"],
      summary: "Remove a wallet from your account",
      description:
        "The primary wallet and payout wallets cannot be removed. Sessions of the wallet end. Its orders continue, and the contract still allows the wallet what it allowed before.",
      ...accessRule(context, "self"),
      request: { params: walletParams },
      responses: {
        200: jsonResponse(
          "The id of the removed wallet",
          z.object({ id: idField("wal") }).openapi("RemovedWallet"),
        ),
        ...errorResponses("conflict"),
      },
    }),
    async (c) => {
      const { accountId } = callerOf(c);
      const removed = await inTransaction(db, async (tx) => {
        const row = await lockWallet(tx, accountId, c.req.valid("param").id);
        if (row.isPrimary) {
          throw new ApiError(
            "conflict",
            "This is your primary wallet. Make another wallet primary first, with PUT /auth/me/wallets/{id}/primary.",
          );
        }
        const paid = await tx
          .select({ slug: agent.slug })
          .from(agent)
          .where(
            and(
              eq(agent.accountId, accountId),
              eq(agent.payoutWallet, row.address),
              ne(agent.status, "retired"),
            ),
          );
        if (paid.length > 0) {
          const slugs = paid.map(({ slug }) => slug).join(", ");
          throw new ApiError(
            "conflict",
            `This is the payout wallet of these agents: ${slugs}. Set another payout wallet first.`,
          );
        }
        await tx.delete(wallet).where(eq(wallet.id, row.id));
        await tx
          .update(session)
          .set({ revokedAt: new Date() })
          .where(
            and(
              eq(session.accountId, accountId),
              eq(session.address, row.address),
              isNull(session.revokedAt),
            ),
          );
        await recordAudit(tx, c, {
          action: "wallet.removed",
          target: row.id,
          data: { address: getAddress(row.address), chain_id: row.chainId?.toString() ?? null },
        });
        return { id: row.id };
      });
      return c.json(removed, 200);
    },
  );

  app.openapi(
    createRoute({
      method: "put",
      path: "/auth/me/wallets/{id}/primary",
      operationId: "makeWalletPrimary",
      tags: ["identity"],
      summary: "Make a wallet your primary one",
      description: "The primary wallet is the buyer's wallet of orders that name none.",
      ...accessRule(context, "self"),
      request: { params: walletParams },
      responses: { 200: jsonResponse("The wallet", walletSchema) },
    }),
    async (c) => {
      const { accountId } = callerOf(c);
      const row = await inTransaction(db, async (tx) => {
        const chosen = await lockWallet(tx, accountId, c.req.valid("param").id);
        if (chosen.isPrimary) return chosen;
        const primary = and(eq(wallet.accountId, accountId), eq(wallet.isPrimary, true));
        const [before] = await tx.update(wallet).set({ isPrimary: false }).where(primary).returning();
        await tx.update(wallet).set({ isPrimary: true }).where(eq(wallet.id, chosen.id));
        await recordAudit(tx, c, {
          action: "wallet.made_primary",
          target: chosen.id,
          data: { from: before ? getAddress(before.address) : null, to: getAddress(chosen.address) },
        });
        return { ...chosen, isPrimary: true };
      });
      return c.json(presentWallet(row), 200);
    },
  );
}

/**
 * Locks all wallets of an account, so that changes to them do not overlap.
 *
 * @returns the wallet with this id
 * @throws ApiError `not_found`
 */
async function lockWallet(tx: Transaction, accountId: string, id: string): Promise<WalletRow> {
  const wallets = await tx
    .select()
    .from(wallet)
    .where(eq(wallet.accountId, accountId))
    .orderBy(wallet.id)
    .for("update");
  const row = wallets.find((item) => item.id === id);
  if (!row) throw new ApiError("not_found", "Your account has no wallet with this id.");
  return row;
}
