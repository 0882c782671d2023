import { z } from "@hono/zod-openapi";
import { getAddress } from "viem";
import type { KeyLimits } from "../../db/schema.ts";
import { parseAmount } from "../../protocol/settlement/money.ts";
import type { PaymentToken } from "../../trade/services/payment-token.ts";
import { isMisspelledToken } from "../../trade/spending/key-limits.ts";
import { refuseField } from "../http/api-error.ts";
import { amountInput, idField, timeInput } from "../http/fields.ts";

/** The most members of a list in a key's limits, and the most networks of a key. */
const longestList = 50;
/** The longest lifetime of a key, in days. */
const longestLife = 5 * 366;

const list = (item: z.ZodString) => z.array(item).min(1).max(longestList);

const members = {
  per_order: amountInput.openapi({ description: "the most for one order", example: "10" }),
  per_day: amountInput.openapi({ description: "the most for a day (UTC)", example: "50" }),
  per_month: amountInput.openapi({ description: "the most for a calendar month (UTC)", example: "400" }),
  max_open_orders: z
    .int()
    .min(0)
    .max(1_000_000)
    .openapi({ description: "the most orders of the key that are not complete" }),
  agents: list(idField("agt")).openapi({ description: "the agents that the key may order from" }),
  services: list(idField("svc")).openapi({ description: "the services that the key may order" }),
  assets: list(z.string().min(1).max(80)).openapi({
    description:
      "the tokens that the key may pay with: symbols and addresses, which name tokens of every chain, or CAIP-19 ids as in `eip155:8453/erc20:0x...`, which name one token. A key with limits of amounts has the default token of the default chain, unless you name others",
    example: ["TUSD"],
  }),
  approval_above: amountInput.openapi({
    description:
      "an order above this amount needs approval by an owner or admin: `POST /orders/{id}/approval`",
    example: "5",
  }),
};

const askedMembers = Object.fromEntries(
  Object.entries(members).map(([name, member]) => [name, member.nullable().optional()]),
) as { [Name in keyof typeof members]: z.ZodOptional<z.ZodNullable<(typeof members)[Name]>> };

/** The limits of a request. Null removes a limit. In a change, an omitted limit keeps its value. */
export const limitsRequest = z.strictObject(askedMembers).openapi("KeyLimitsRequest", {
  description:
    "The limits of orders and payments with the key, in decimals of the token that pays. Each token of `assets` has its own sums on each chain. Null means no limit. In a change, fields that you omit keep their value.",
});

const shownMembers = Object.fromEntries(
  Object.entries(members).map(([name, member]) => [name, member.nullable()]),
) as { [Name in keyof typeof members]: z.ZodNullable<(typeof members)[Name]> };

export const limitsSchema = z.object(shownMembers).openapi("KeyLimits", {
  description: "The limits of orders and payments with a key. Null means no limit.",
});

/** Presents a key's limits to its owner. */
export function presentLimits(limits: KeyLimits | null): z.output<typeof limitsSchema> {
  const { per_order, per_day, per_month, max_open_orders, agents, services, assets, approval_above } =
    limits ?? {};
  return {
    per_order: per_order ?? null,
    per_day: per_day ?? null,
    per_month: per_month ?? null,
    max_open_orders: max_open_orders ?? null,
    agents: agents ?? null,
    services: services ?? null,
    assets: assets ?? null,
    approval_above: approval_above ?? null,
  };
}

/** The limits that are amounts. */
const amounts = ["per_order", "per_day", "per_month", "approval_above"] as const;

/**
 * Applies the limits of a request to a key. Each token has its own sums, so a key with limits of amounts always names its
 * tokens: a token that the operator adds later must not widen them.
 *
 * @param standing the key's limits, which remain where the request names no other
 * @returns null if no limit remains
 * @throws Refusal `invalid_request` for an invalid amount or token
 */
export function applyLimits(
  requested: z.output<typeof limitsRequest>,
  current: KeyLimits | null,
  { chain, token }: PaymentToken,
): KeyLimits | null {
  for (const name of amounts) {
    const amount = requested[name];
    if (typeof amount !== "string" || parseAmount(amount, token.decimals) !== null) continue;
    throw refuseField(
      `limits/${name}`,
      "pattern",
      `must be a decimal with at most ${token.decimals} decimals, such as 12.50`,
    );
  }
  const strange = requested.assets?.find(isMisspelledToken);
  if (strange !== undefined)
    throw refuseField("limits/assets", "format", `${strange} is no address, symbol or CAIP-19 id of a token`);
  const entries = Object.entries({ ...current, ...requested }).filter(([, value]) => value != null);
  if (entries.length === 0) return null;
  const limits = Object.fromEntries(entries) as KeyLimits;
  if (limits.assets || amounts.every((name) => limits[name] === undefined)) return limits;
  return { ...limits, assets: [`eip155:${chain.chain_id}/erc20:${getAddress(token.address)}`] };
}

const network = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
    error: "must be an IPv4 or IPv6 address, or a network in CIDR form",
  })
  .refine((text) => !/^::ffff:/i.test(text), "must be in IPv4 form if it is an IPv4 address");

export const allowedIpsField = z
  .array(network)
  .min(1)
  .max(longestList)
  .nullable()
  .openapi({
    type: ["array", "null"],
    items: { type: "string", maxLength: 49 },
    minItems: 1,
    maxItems: longestList,
    description: "the addresses and networks (CIDR) that may use the key; null for any",
    example: ["203.0.113.0/24", "2001:db8::/32"],
  });

export const expiresAtField = timeInput
  .refine((time) => time.getTime() > Date.now(), "must be in the future")
  .refine(
    (time) => time.getTime() <= Date.now() + longestLife * 86_400_000,
    `must be within ${longestLife} days`,
  )
  .nullable()
  .openapi({
    type: ["string", "null"],
    format: "date-time",
    description: `the time when the key expires, within ${longestLife} days; null for never`,
    example: "2027-06-01T00:00:00Z",
  });
