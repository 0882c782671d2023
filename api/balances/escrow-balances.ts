import { z } from "@hono/zod-openapi";
import { getAddress } from "viem";
import type { Config } from "../../config/config.ts";
import type { Database } from "../../db/client.ts";
import { eq, sql } from "../../db/drizzle.ts";
import { escrowSum } from "../../db/schema.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { findOrderToken } from "../../trade/services/payment-token.ts";
import { amountField, baseUnitsField, chainIdField, currencyField, shownAddress } from "../http/fields.ts";

export const escrowBalanceSchema = z
  .object({
    chain_id: chainIdField,
    token_address: shownAddress,
    currency: currencyField,
    token_decimals: z.int(),
    paid_into_escrow: amountField.openapi({
      description: "the amount of your purchases that is in escrow now",
    }),
    paid_into_escrow_base_units: baseUnitsField,
    paid_in_dispute: amountField.openapi({ description: "the disputed part of `paid_into_escrow`" }),
    paid_in_dispute_base_units: baseUnitsField,
    purchases: z.int().openapi({ description: "the number of these purchases" }),
    to_be_earned: amountField.openapi({ description: "the amount of your sales that is in escrow now" }),
    to_be_earned_base_units: baseUnitsField,
    earnings_in_dispute: amountField.openapi({ description: "the disputed part of `to_be_earned`" }),
    earnings_in_dispute_base_units: baseUnitsField,
    sales: z.int().openapi({ description: "the number of these sales" }),
  })
  .openapi("EscrowBalance");

/** Reads the sums of an account's orders in escrow, one for each token of each chain. */
export async function readEscrowBalances(
  db: Database,
  config: Pick<Config, "chains">,
  accountId: string,
): Promise<z.output<typeof escrowBalanceSchema>[]> {
  const { chainId, token, tokenSymbol, tokenDecimals, role, held, disputed, orders } = escrowSum;
  const sumFor = (party: "buyer" | "provider", column: typeof held | typeof disputed) =>
    sql<string>`coalesce(sum(${column}) filter (where ${role} = ${party}), 0)::text`;
  const countFor = (party: "buyer" | "provider") =>
    sql<number>`coalesce(sum(${orders}) filter (where ${role} = ${party}), 0)::int`;
  const rows = await db
    .select({
      chainId,
      token,
      // A token without a manifest has the names that its orders have.
      symbol: sql<string>`max(${tokenSymbol})`,
      decimals: sql<number>`max(${tokenDecimals})`,
      paid: sumFor("buyer", held),
      paidInDispute: sumFor("buyer", disputed),
      purchases: countFor("buyer"),
      toBeEarned: sumFor("provider", held),
      earningsInDispute: sumFor("provider", disputed),
      sales: countFor("provider"),
    })
    .from(escrowSum)
    .where(eq(escrowSum.accountId, accountId))
    .groupBy(chainId, token)
    .having(sql`sum(${orders}) > 0`)
    .orderBy(chainId, token);
  return rows.map((row) => {
    const chain = config.chains.find(({ chain_id }) => chain_id === row.chainId);
    const { symbol, decimals } = (chain && findOrderToken(chain, row.token)) ?? row;
    const amount = (baseUnits: string) => formatAmount(BigInt(baseUnits), decimals);
    return {
      chain_id: row.chainId,
      token_address: getAddress(row.token),
      currency: symbol,
      token_decimals: decimals,
      paid_into_escrow: amount(row.paid),
      paid_into_escrow_base_units: row.paid,
      paid_in_dispute: amount(row.paidInDispute),
      paid_in_dispute_base_units: row.paidInDispute,
      purchases: row.purchases,
      to_be_earned: amount(row.toBeEarned),
      to_be_earned_base_units: row.toBeEarned,
      earnings_in_dispute: amount(row.earningsInDispute),
      earnings_in_dispute_base_units: row.earningsInDispute,
      sales: row.sales,
    };
  });
}
