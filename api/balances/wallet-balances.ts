import { z } from "@hono/zod-openapi";
import { getAddress } from "viem";
import type { Chain } from "../../config/config.ts";
import type { Database } from "../../db/client.ts";
import { eq, sql } from "../../db/drizzle.ts";
import { wallet } from "../../db/schema.ts";
import type { WalletRow } from "../../db/wallets.ts";
import { withdrawCall } from "../../protocol/settlement/calls.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { findNetwork } from "../../protocol/settlement/networks.ts";
import { orderTokens } from "../../trade/services/payment-token.ts";
import {
  amountField,
  baseUnitsField,
  chainIdField,
  currencyField,
  idField,
  orNull,
  shownAddress,
} from "../http/fields.ts";
import { callSchema } from "../orders/order.ts";
import { type NodeAmount, type NodeReading, unknownReasons } from "./node-amounts.ts";

/** The most wallets whose balances an answer has. */
export const mostWallets = 10;
/** The decimals of the native coin of every EVM chain. */
const nativeDecimals = 18;

export const unknownField = z.enum(unknownReasons).openapi("UnknownBalance");

export const walletBalanceSchema = z
  .object({
    wallet_id: idField("wal"),
    address: shownAddress,
    is_primary: z.boolean(),
    chain_id: chainIdField,
    token_address: shownAddress,
    currency: currencyField,
    token_decimals: z.int(),
    balance: amountField.nullable(),
    balance_base_units: baseUnitsField.nullable(),
    owed: amountField.nullable().openapi({
      description: "what the escrow contract owes to the wallet, because the token refused a payout",
    }),
    owed_base_units: baseUnitsField.nullable(),
    withdraw_call: orNull(callSchema).openapi({
      description: "the call that pays `owed` to the wallet, which anyone may send; null if nothing is owed",
    }),
    native_currency: z.string().nullable().openapi({
      description: "the symbol of the chain's native coin, which pays for gas; null if unknown",
      example: "ETH",
    }),
    native_balance: amountField.nullable(),
    native_balance_base_units: baseUnitsField.nullable().openapi({ description: "in wei" }),
    unknown_reason: orNull(unknownField).openapi({
      description:
        "why an amount is null: `busy`, too many requests read from the chain's node now; `slow`, the node did not answer in time; `unreachable`, the node failed; `refused`, the token did not answer",
    }),
  })
  .openapi("WalletBalance");
type WalletBalance = z.output<typeof walletBalanceSchema>;

/** Reads the primary wallet and the oldest other wallets of an account, one more than are shown. */
export function readOwnWallets(db: Database, accountId: string): Promise<WalletRow[]> {
  return db
    .select()
    .from(wallet)
    .where(eq(wallet.accountId, accountId))
    .orderBy(sql`${wallet.isPrimary} desc`, wallet.createdAt, wallet.id)
    .limit(mostWallets + 1);
}

/** Returns the figures of a wallet on a chain: its native coin, then two for each token. */
export function figuresOf({ address: holder }: WalletRow, chain: Chain): NodeAmount[] {
  const native: NodeAmount = { kind: "native", holder };
  return [
    native,
    ...orderTokens(chain).flatMap(({ address: token }): NodeAmount[] => [
      { kind: "balance", holder, token },
      { kind: "owed", holder, token },
    ]),
  ];
}

/** Presents a wallet on a chain, with an entry for each token, from the readings of `figuresOf`. */
export function presentWallet(
  row: WalletRow,
  chain: Chain,
  readings: readonly NodeReading[],
): WalletBalance[] {
  const [native, ...ofTokens] = readings;
  return orderTokens(chain).map((token, at) => {
    const [balance, owed] = [ofTokens[2 * at], ofTokens[2 * at + 1]];
    const shown = (reading: NodeReading | undefined, decimals: number) =>
      typeof reading === "bigint" ? formatAmount(reading, decimals) : null;
    const units = (reading: NodeReading | undefined) =>
      typeof reading === "bigint" ? reading.toString() : null;
    return {
      wallet_id: row.id,
      address: getAddress(row.address),
      is_primary: row.isPrimary,
      chain_id: chain.chain_id,
      token_address: getAddress(token.address),
      currency: token.symbol,
      token_decimals: token.decimals,
      balance: shown(balance, token.decimals),
      balance_base_units: units(balance),
      owed: shown(owed, token.decimals),
      owed_base_units: units(owed),
      withdraw_call:
        typeof owed === "bigint" && owed > 0n
          ? withdrawCall(chain.escrow_contract, {
              token: getAddress(token.address),
              payee: getAddress(row.address),
            })
          : null,
      native_currency: findNetwork(chain.chain_id)?.native_symbol ?? null,
      native_balance: shown(native, nativeDecimals),
      native_balance_base_units: units(native),
      unknown_reason: [balance, owed, native].find((reading) => typeof reading === "string") ?? null,
    };
  });
}
