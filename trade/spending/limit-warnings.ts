import { getAddress } from "viem";
import type { NewEvent } from "../../db/account-events.ts";
import type { KeyLimits } from "../../db/schema.ts";
import { keyLimitEventData } from "../../protocol/facts/account-events.ts";
import { formatAmount } from "../../protocol/settlement/money.ts";
import { baseUnitsOf, type LimitedOrder, resetsAt, type Spent } from "./key-limits.ts";

/** A key that has limits. */
export type LimitedKey = { id: string; name: string; accountId: string; limits: KeyLimits };

/** The spent part of a limit, in percent, from which the key's account is warned. */
const nearPercent = 80n;

/**
 * Composes the events of a key's limits that an order comes near to or reaches. The key of each event has the limit, its
 * amount and the end of the period. So an account gets each warning once for a period, and again after a changed limit.
 *
 * @param counted.spent the spending before this order
 */
export function limitWarnings(
  { id, name, accountId, limits }: LimitedKey,
  { token, amount }: LimitedOrder,
  { spent, now }: { spent: Spent; now: Date },
): NewEvent[] {
  const ends = resetsAt(now);
  const periods = [
    ["per_day", "day"],
    ["per_month", "month"],
  ] as const;
  return periods.flatMap(([limit, period]): NewEvent[] => {
    const allowed = baseUnitsOf(limits[limit], token.decimals);
    if (allowed === null || allowed === 0n) return [];
    const total = spent[period] + amount;
    const percent = (100n * total) / allowed;
    if (percent < nearPercent) return [];
    const type = total < allowed ? "key.limit_near" : "key.limit_reached";
    const resets_at = ends[period].toISOString();
    return [
      {
        accountId,
        type,
        orderId: null,
        key: `${type}:${id}:${limit}:${token.chainId}:${token.address.toLowerCase()}:${allowed}:${resets_at}`,
        data: keyLimitEventData({
          key_id: id,
          key_name: name,
          limit,
          resets_at,
          chain_id: token.chainId,
          token: getAddress(token.address),
          currency: token.symbol,
          spent: formatAmount(total, token.decimals),
          spent_base_units: total.toString(),
          allowed: formatAmount(allowed, token.decimals),
          allowed_base_units: allowed.toString(),
          used_percent: Number(percent),
        }),
      },
    ];
  });
}
