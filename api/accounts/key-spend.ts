import { z } from "@hono/zod-openapi";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { defaultToken } from "../../trade/services/payment-token.ts";
import { baseUnitsOf, resetsAt } from "../../trade/spending/key-limits.ts";
import { type KeySpent, readSpent } from "../../trade/spending/key-spending.ts";
import type { Context } from "../context.ts";
import type { Caller } from "../http/caller.ts";
import { amountField, idField, timeField } from "../http/fields.ts";
import { limitsSchema, presentLimits } from "./key-limits.ts";

const periodSchema = z
  .object({
    spent: amountField.openapi({ description: "without refunded amounts" }),
    limit: amountField.nullable(),
    left: amountField.nullable().openapi({ description: "null without a limit" }),
    resets_at: timeField,
  })
  .openapi("SpendPeriod");

/** The amounts that a key has spent and has left. */
export const spendItem = z
  .object({
    key_id: idField("key"),
    key_name: z.string(),
    limits: limitsSchema,
    day: periodSchema,
    month: periodSchema,
    open_orders: z
      .object({ count: z.int(), limit: z.int().nullable(), left: z.int().nullable() })
      .openapi("OpenOrders", { description: "orders of the key that are not complete" }),
  })
  .openapi("KeySpend");

/** Reads the spending of the caller's key, or of all active keys of a session's account. */
export async function readSpendItems({ config, db }: Context, caller: Caller) {
  const { token } = defaultToken(config);
  const keyId = caller.role === null ? caller.credentialId : null;
  const keys = await readSpent(db, token.address, { accountId: caller.accountId, keyId });
  return keys.map((key) => presentSpend(key, token.decimals));
}

function presentSpend({ id, name, limits, spent, now }: KeySpent, decimals: number) {
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
  const most = limits?.max_open_orders ?? null;
  return {
    key_id: id,
    key_name: name,
    limits: presentLimits(limits),
    day: period("day"),
    month: period("month"),
    open_orders: {
      count: spent.open,
      limit: most,
      left: most === null ? null : Math.max(0, most - spent.open),
    },
  };
}
