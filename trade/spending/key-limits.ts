import { type Address, getAddress, isAddress, isAddressEqual } from "viem";
import type { KeyLimits } from "../../db/schema.ts";
import { formatAmount, parseAmount } from "../../protocol/settlement/money.ts";
import { Refusal } from "../refusal.ts";

/** The limits of a key, without `approval_above`. */
export const limitNames = [
  "per_order",
  "per_day",
  "per_month",
  "max_open_orders",
  "agents",
  "services",
  "assets",
] as const satisfies readonly Exclude<keyof KeyLimits, "approval_above">[];
export type LimitName = (typeof limitNames)[number];

/** The limit that an order would exceed. Amounts are decimals of the currency; counts are integers. */
export type PassedLimit = {
  limit: LimitName;
  /** null for a list */
  allowed: string | null;
  /** before this order; null for a limit without a sum */
  spent: string | null;
  asked: string | null;
  /** the token of the order */
  chain_id: number;
  token: Address;
  currency: string;
  /** RFC 3339; null for a limit that does not reset */
  resets_at: string | null;
};

/** Thrown if an order would exceed a limit of its key. Nothing is written. */
export class SpendRefusal extends Refusal {
  override name = "SpendRefusal";
  readonly passed: PassedLimit;

  constructor(message: string, passed: PassedLimit) {
    super("spend_limit_exceeded", message);
    this.passed = passed;
  }
}

/** The spending of a key in one token (base units), and the number of its open orders. */
export type Spent = { day: bigint; month: bigint; open: number };

/** Returns the ends of the day and the month, in UTC. */
export function resetsAt(now: Date): { day: Date; month: Date } {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  return { day: new Date(Date.UTC(year, month, day + 1)), month: new Date(Date.UTC(year, month + 1, 1)) };
}

/** The fields of an order that a key's limits check. */
export type LimitedOrder = {
  agentId: string;
  serviceId: string;
  token: { chainId: number; address: Address; symbol: string; decimals: number };
  /** base units */
  amount: bigint;
};

/**
 * Requires that an order is within a key's limits.
 *
 * @param spent the spending before this order
 * @param places whether the key places the order; false if it pays an existing one
 * @throws SpendRefusal
 */
export function requireWithin(
  limits: KeyLimits,
  { agentId, serviceId, token, amount }: LimitedOrder,
  { spent, now, isPlacement }: { spent: Spent; now: Date; isPlacement: boolean },
): void {
  const money = (value: bigint) => formatAmount(value, token.decimals);
  const asked = money(amount);
  const refuse = (limit: LimitName, message: string, more: Partial<PassedLimit> = {}) => {
    const none = { allowed: null, spent: null, asked: null, resets_at: null };
    const paidIn = { chain_id: token.chainId, token: getAddress(token.address), currency: token.symbol };
    return new SpendRefusal(message, { limit, ...paidIn, ...none, ...more });
  };
  if (limits.assets && !limits.assets.some((one) => isToken(one, token))) {
    throw refuse("assets", `This key may not pay with ${token.symbol} on chain ${token.chainId}.`);
  }
  if (limits.agents && !limits.agents.includes(agentId)) {
    throw refuse("agents", `This key may not order from the agent ${agentId}.`);
  }
  if (limits.services && !limits.services.includes(serviceId)) {
    throw refuse("services", `This key may not order the service ${serviceId}.`);
  }
  const most = baseUnitsOf(limits.per_order, token.decimals);
  if (most !== null && amount > most) {
    throw refuse(
      "per_order",
      `This order costs ${asked} ${token.symbol}. This key's limit per order is ${money(most)}.`,
      { allowed: money(most), asked },
    );
  }
  const open = limits.max_open_orders ?? null;
  if (isPlacement && open !== null && spent.open >= open) {
    throw refuse(
      "max_open_orders",
      `This key has ${spent.open} open orders, and its limit is ${open}. It can place another when one ends.`,
      { allowed: String(open), spent: String(spent.open), asked: "1" },
    );
  }
  const ends = resetsAt(now);
  for (const [limit, period] of [
    ["per_day", "day"],
    ["per_month", "month"],
  ] as const) {
    const allowed = baseUnitsOf(limits[limit], token.decimals);
    if (allowed === null || spent[period] + amount <= allowed) continue;
    const resets_at = ends[period].toISOString();
    throw refuse(
      limit,
      `This key has spent ${money(spent[period])} of ${money(allowed)} ${token.symbol} for this ${period} (UTC), and this order costs ${asked}. The limit resets at ${resets_at}.`,
      { allowed: money(allowed), spent: money(spent[period]), asked, resets_at },
    );
  }
}

/** Whether an order of this key needs the approval of an owner or admin. */
export function needsApproval(limits: KeyLimits | null, { amount, token }: LimitedOrder): boolean {
  const above = baseUnitsOf(limits?.approval_above, token.decimals);
  return above !== null && amount > above;
}

/** Converts a limit to base units; null without a limit. A limit with too many decimals for the token is zero. */
export function baseUnitsOf(text: string | undefined, decimals: number): bigint | null {
  return text === undefined ? null : (parseAmount(text, decimals) ?? 0n);
}

/** The CAIP-19 id of a token, as in `eip155:8453/erc20:0x...`. */
const assetId = /^eip155:([1-9][0-9]{0,15})\/erc20:(0x[0-9a-fA-F]{40})$/;

/** Whether a limit names a token. A symbol or an address names tokens of every chain, an asset id one token. */
function isToken(named: string, { chainId, address, symbol }: LimitedOrder["token"]): boolean {
  const [, chain, token] = assetId.exec(named) ?? [];
  if (chain && token) return Number(chain) === chainId && isAddressEqual(token as Address, address);
  return named === symbol || (isAddress(named, { strict: false }) && isAddressEqual(named, address));
}

/** Whether a text looks like an address or an asset id, and is neither. */
export function isMisspelledToken(named: string): boolean {
  return /^(0x|eip155:)/i.test(named) && !isAddress(named, { strict: false }) && !assetId.test(named);
}
