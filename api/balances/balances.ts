import { createRoute, z } from "@hono/zod-openapi";
import { eq, sql } from "drizzle-orm";
import { getAddress } from "viem";
import type { Database } from "../../db/client.ts";
import { escrowSum, wallet } from "../../db/schema.ts";
import type { WalletRow } from "../../db/wallets.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { findNetwork } from "../../protocol/settlement/networks.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { originOf } from "../http/client-address.ts";
import {
  amountField,
  baseUnitsField,
  chainIdField,
  currencyField,
  idField,
  orNull,
  shownAddress,
} from "../http/fields.ts";
import { answer, guarded } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import {
  type DepositOrder,
  mostOrders,
  presentDeposit,
  readDays,
  readDepositOrders,
  waitingDepositSchema,
} from "./waiting-deposits.ts";
import { createBalanceReader, unknownReasons } from "./wallet-balances.ts";

/** The most wallets whose balances an answer has. */
const mostWallets = 10;
/** The decimals of the native coin of every EVM chain. */
const nativeDecimals = 18;

const unknownField = orNull(z.enum(unknownReasons).openapi("UnknownBalance"));

const walletBalanceSchema = z
  .object({
    wallet_id: idField("wal"),
    address: shownAddress,
    is_primary: z.boolean(),
    chain_id: chainIdField,
    token_address: shownAddress,
    currency: currencyField,
    balance: amountField.nullable(),
    balance_base_units: baseUnitsField.nullable(),
    native_currency: z.string().nullable().openapi({
      description: "the symbol of the chain's native coin, which pays for gas; null if unknown",
      example: "ETH",
    }),
    native_balance: amountField.nullable(),
    native_balance_base_units: baseUnitsField.nullable().openapi({ description: "in wei" }),
    unknown_reason: unknownField.openapi({
      description:
        "why the balances are null: `busy`, too many requests read from nodes now; `slow`, the node did not answer in time; `unreachable`, the node failed",
    }),
  })
  .openapi("WalletBalance");

const escrowBalanceSchema = z
  .object({
    chain_id: chainIdField,
    token_address: shownAddress,
    currency: currencyField,
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

/** Adds the route of the money that an account has in its wallets and in escrow. */
export function addBalances(app: App, context: Context): void {
  const { db } = context;
  const readBalances = createBalanceReader(context);

  app.openapi(
    createRoute({
      method: "get",
      path: "/balances",
      operationId: "readBalances",
      tags: ["payments"],
      summary: "Read the money in your wallets and in escrow",
      description: `The balances of the primary wallet and of the oldest other wallets, at most ${mostWallets}, on each served chain. They come from the chain's node and are at most a second old. The amounts in escrow follow the confirmed events of the chain. Deposits are those of your newest ${mostOrders} orders of ${readDays} days.`,
      ...guarded(context, "subscriptions:read"),
      responses: {
        200: answer(
          "The balances",
          z
            .object({
              wallets: z.array(walletBalanceSchema),
              more_wallets: z.boolean().openapi({ description: "whether the account has further wallets" }),
              escrow: z.array(escrowBalanceSchema),
              deposits: z.array(waitingDepositSchema).nullable().openapi({
                description:
                  "the money at deposit addresses of your purchases that waits to be returned; null if unknown",
              }),
              deposits_unknown_reason: unknownField.openapi({
                description: "why `deposits` is null, as `unknown_reason` of a wallet",
              }),
            })
            .openapi("Balances"),
        ),
      },
    }),
    async (c) => {
      const { accountId } = callerOf(c);
      const wallets = await readOwnWallets(db, accountId);
      const escrow = await readEscrow(db, accountId);
      const orders = await readDepositOrders(db, accountId, context.config.chains);
      const shown = wallets
        .slice(0, mostWallets)
        .flatMap((row) =>
          context.config.chains
            .filter(({ chain_id }) => row.chainId === null || row.chainId === chain_id)
            .map((chain) => ({ row, chain })),
        );
      const { wallets: balances, deposits } = await readBalances(
        shown.map(({ row, chain }) => ({ address: row.address, chainId: chain.chain_id })),
        orders.map(({ row }) => row),
        { accountId, ...originOf(c) },
      );
      const isUnknown = "unknown" in deposits;
      return c.json(
        {
          wallets: shown.map(({ row, chain: { chain_id, token } }, at) => {
            const found = balances[at] ?? { unknown: "unreachable" as const };
            const isKnown = !("unknown" in found);
            return {
              wallet_id: row.id,
              address: getAddress(row.address),
              is_primary: row.isPrimary,
              chain_id,
              token_address: getAddress(token.address),
              currency: token.symbol,
              balance: isKnown ? formatAmount(found.token, token.decimals) : null,
              balance_base_units: isKnown ? found.token.toString() : null,
              native_currency: findNetwork(chain_id)?.native_symbol ?? null,
              native_balance: isKnown ? formatAmount(found.native, nativeDecimals) : null,
              native_balance_base_units: isKnown ? found.native.toString() : null,
              unknown_reason: isKnown ? null : found.unknown,
            };
          }),
          more_wallets: wallets.length > mostWallets,
          escrow,
          deposits: isUnknown ? null : orders.flatMap((each, at) => presentAt(each, deposits[at] ?? 0n)),
          deposits_unknown_reason: isUnknown ? deposits.unknown : null,
        },
        200,
      );
    },
  );

  function presentAt(each: DepositOrder, balance: bigint) {
    const served = context.chain(each.row.chainId);
    return served ? presentDeposit(each, balance, served.chain) : [];
  }
}

function readOwnWallets(db: Database, accountId: string): Promise<WalletRow[]> {
  return db
    .select()
    .from(wallet)
    .where(eq(wallet.accountId, accountId))
    .orderBy(sql`${wallet.isPrimary} desc`, wallet.createdAt, wallet.id)
    .limit(mostWallets + 1);
}

/** Reads the sums of an account's orders in escrow, by token. */
async function readEscrow(db: Database, accountId: string) {
  const { chainId, token, tokenSymbol, tokenDecimals, role, held, disputed, orders } = escrowSum;
  const sumFor = (party: "buyer" | "provider", column: typeof held | typeof disputed) =>
    sql<string>`coalesce(sum(${column}) filter (where ${role} = ${party}), 0)::text`;
  const countFor = (party: "buyer" | "provider") =>
    sql<number>`coalesce(sum(${orders}) filter (where ${role} = ${party}), 0)::int`;
  const rows = await db
    .select({
      ...{ chainId, token, tokenSymbol, tokenDecimals },
      paid: sumFor("buyer", held),
      paidInDispute: sumFor("buyer", disputed),
      purchases: countFor("buyer"),
      toBeEarned: sumFor("provider", held),
      earningsInDispute: sumFor("provider", disputed),
      sales: countFor("provider"),
    })
    .from(escrowSum)
    .where(eq(escrowSum.accountId, accountId))
    .groupBy(chainId, token, tokenSymbol, tokenDecimals)
    .having(sql`sum(${orders}) > 0`)
    .orderBy(chainId, token, tokenSymbol, tokenDecimals);
  return rows.map((row) => {
    const amount = (baseUnits: string) => formatAmount(BigInt(baseUnits), row.tokenDecimals);
    return {
      chain_id: row.chainId,
      token_address: getAddress(row.token),
      currency: row.tokenSymbol,
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
