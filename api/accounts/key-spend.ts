import { z } from "@hono/zod-openapi";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { defaultToken, findPaidToken, tokenNameOf } from "../../trade/services/payment-token.ts";
import { type KeySpent, readSpent, readSpentByToken } from "../../trade/spending/key-limit-checks.ts";
import { baseUnitsOf, resetsAt } from "../../trade/spending/key-limits.ts";
import type { Context } from "../context.ts";
import type { Caller } from "../http/caller.ts";
import {
  amountField,
  chainIdField,
  currencyField,
  idField,
  shownAddress,
  timeField,
} from "../http/fields.ts";
import { limitsSchema, presentLimits } from "./key-limits.ts";

const periodSchema = z
  .object({
    spent: amountField.openapi({ description: "without refunded amounts" }),
    limit: amountField.nullable(),
    left: amountField.nullable().openapi({ description: "null without a limit" }),
    resets_at: timeField,
  })
  .openapi("SpendPeriod");

/** The spending in one token. Amounts are decimals of this token. */
const tokenSpendSchema = z
  .object({
    chain_id: chainIdField,
    token: shownAddress,
    currency: currencyField,
    day: periodSchema,
    month: periodSchema,
  })
  .openapi("TokenSpend");

/** The amounts that a key has spent and has left. */
export const spendItem = z
  .object({
    key_id: idField("key"),
    key_name: z.string(),
    limits: limitsSchema,
    day: periodSchema.openapi({ description: "in the default token of the default chain" }),
    month: periodSchema.openapi({ description: "in the default token of the default chain" }),
    other_tokens: z.array(tokenSpendSchema).openapi({
      description: "the other tokens that the key has paid with in this month. Each has its own sums",
    }),
    open_orders: z
      .object({ count: z.int(), limit: z.int().nullable(), left: z.int().nullable() })
      .openapi("OpenOrders", { description: "orders of the key that are not complete" }),
  })
  .openapi("KeySpend");

/** Reads the spending of the caller's key, or of all active keys of a session's account. */
export async function readSpendItems({ config, db }: Context, caller: Caller) {
  const { chain, token } = defaultToken(config);
  const keyId = caller.role === null ? caller.credentialId : null;
  const named = { chainId: chain.chain_id, address: token.address };
  const keys = await readSpent(db, named, { accountId: caller.accountId, keyId });
  const ofKeys =
    keys.length > 0
      ? await readSpentByToken(
          db,
          keys.map(({ id }) => id),
        )
      : [];
  return keys.map((key) => {
    const { id, name, limits, spent, now } = key;
    const others = ofKeys.flatMap((each) => {
      const found = findPaidToken(config, { chain_id: each.chainId, token: each.address });
      if (each.keyId !== id || !found || found.token === token) return [];
      return {
        ...tokenNameOf(found),
        currency: found.token.symbol,
        ...presentPeriods(key, each, found.token.decimals),
      };
    });
    const most = limits?.max_open_orders ?? null;
    return {
      key_id: id,
      key_name: name,
      limits: presentLimits(limits),
      ...presentPeriods({ limits, now }, spent, token.decimals),
      other_tokens: others,
      open_orders: {
        count: spent.open,
        limit: most,
        left: most === null ? null : Math.max(0, most - spent.open),
      },
    };
  });
}

function presentPeriods(
  { limits, now }: Pick<KeySpent, "limits" | "now">,
  spent: { day: bigint; month: bigint },
  decimals: number,
) {
  const ends = resetsAt(now);
  const period = (unit: "day" | "month") => {
    const limit = baseUnitsOf(limits?.[`per_${unit}`], decimals);
    // A reorganised refund or a lowered limit may make the difference negative.
    const left = limit !== null && limit > spent[unit] ? limit - spent[unit] : 0n;
    return {
      spent: formatAmount(spent[unit], decimals),
      limit: limit === null ? null : formatAmount(limit, decimals),
      left: limit === null ? null : formatAmount(left, decimals),
      resets_at: ends[unit].toISOString(),
    };
  };
  return { day: period("day"), month: period("month") };
}
