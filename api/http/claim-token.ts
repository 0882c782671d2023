import { findWebhookKey } from "../../config/keys/webhook-key.ts";
import { and, eq, sql } from "../../db/drizzle.ts";
import { order, wallet } from "../../db/schema.ts";
import { isClaimable } from "../../trade/purchases/earlier-purchase.ts";
import { readClaimToken } from "../../trade/purchases/sealed-terms.ts";
import type { Context } from "../context.ts";
import { ApiError } from "./api-error.ts";
import type { Caller } from "./caller.ts";

/**
 * Finds the buyer of an order that was bought without an account, by the order's claim token. The buyer may only read.
 *
 * @param orderId the order in the route's path
 * @returns null for a token that is forged or expired
 * @throws ApiError `not_found` if the token is another order's
 */
export async function findClaimant(
  { config, db }: Context,
  token: string,
  orderId: string | undefined,
): Promise<Caller | null> {
  const key = findWebhookKey(config);
  const claimed = key && readClaimToken(key, token);
  if (!claimed) return null;
  if (claimed !== orderId) throw new ApiError("not_found", "This claim token belongs to another order.");
  const [held] = await db
    .select({ accountId: order.buyerAccountId, primaryAddress: wallet.address })
    .from(order)
    .innerJoin(wallet, and(eq(wallet.accountId, order.buyerAccountId), sql`${wallet.isPrimary}`))
    .where(and(eq(order.id, claimed), isClaimable));
  return held
    ? {
        ...held,
        credentialId: `claim_${claimed}`,
        keyId: null,
        memberAccountId: held.accountId,
        scopes: ["orders:read"],
        role: null,
        isBanned: false,
      }
    : null;
}
