import { z } from "@hono/zod-openapi";
import { isAddress } from "viem";
import type { Chain } from "../../config/config.ts";
import type { KeyLimits } from "../../db/schema.ts";
import { parseAmount } from "../../protocol/settlement/money.ts";
import { refuseField } from "../http/api-error.ts";
import { askedAmount, askedTime, idField } from "../http/fields.ts";

/** Members of a list of a key's limits, and networks that it is bound to, at most. */
const longestList = 50;

/** The longest that a key may be made for, in days. */
const longestLife = 5 * 366;

const list = (item: z.ZodString) => z.array(item).min(1).max(longestList);

const members = {
  per_order: askedAmount.openapi({ description: "the most that one order may cost", example: "10" }),
  per_day: askedAmount.openapi({ description: "the most of a day in UTC", example: "50" }),
  per_month: askedAmount.openapi({ description: "the most of a calendar month in UTC", example: "400" }),
  max_open_orders: z
    .int()
    .min(0)
    .max(1_000_000)
    .openapi({ description: "orders that it placed and that are not over, at most" }),
  agents: list(idField("agt")).openapi({ description: "the agents that it may order of" }),
  services: list(idField("svc")).openapi({ description: "the services that it may order" }),
  assets: list(z.string().min(1).max(64)).openapi({
    description: "the tokens that it may pay with: addresses or symbols",
    example: ["TUSD"],
  }),
  approval_above: askedAmount.openapi({
    description: "an order of more waits for an owner or admin: `POST /orders/{id}/approval`",
    example: "5",
  }),
};

const askedMembers = Object.fromEntries(
  Object.entries(members).map(([name, member]) => [name, member.nullable().optional()]),
) as { [Name in keyof typeof members]: z.ZodOptional<z.ZodNullable<(typeof members)[Name]>> };

/** Limits as they are set: null takes one away, and of a change what is left out stays. */
export const limitsRequest = z.strictObject(askedMembers).openapi("KeyLimitsRequest", {
  description:
    "What may be ordered and paid with the key, in decimals of the settlement token. Null is no limit; a change leaves as it is what it leaves out.",
});

const shownMembers = Object.fromEntries(
  Object.entries(members).map(([name, member]) => [name, member.nullable()]),
) as { [Name in keyof typeof members]: z.ZodNullable<(typeof members)[Name]> };

export const limitsSchema = z.object(shownMembers).openapi("KeyLimits", {
  description: "What may be ordered and paid with a key; null is no limit",
});

/** A key's limits as its owner sees them. */
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

/**
 * The limits that a request leaves a key with; null for none at all.
 *
 * @param standing what it has; a request changes no more than it names
 * @throws Refusal `invalid_request` for an amount that the settlement token cannot have, or a token of no such form
 */
export function applyLimits(
  asked: z.output<typeof limitsRequest>,
  standing: KeyLimits | null,
  { token }: Pick<Chain, "token">,
): KeyLimits | null {
  for (const name of ["per_order", "per_day", "per_month", "approval_above"] as const) {
    const amount = asked[name];
    if (typeof amount !== "string" || parseAmount(amount, token.decimals) !== null) continue;
    throw refuseField(
      `limits/${name}`,
      "pattern",
      `must be a decimal of at most ${token.decimals} digits after the point, such as 12.50`,
    );
  }
  const strange = asked.assets?.find((one) => /^0x/i.test(one) && !isAddress(one, { strict: false }));
  if (strange !== undefined)
    throw refuseField("limits/assets", "format", `${strange} is neither an address nor a symbol`);
  const entries = Object.entries({ ...standing, ...asked }).filter(([, value]) => value != null);
  return entries.length > 0 ? (Object.fromEntries(entries) as KeyLimits) : null;
}

const network = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
    error: "must be an IPv4 or IPv6 address, or a network in CIDR form",
  })
  .refine((text) => !/^::ffff:/i.test(text), "must be written as IPv4 where it is IPv4");

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
    description: "addresses and networks (CIDR) that the key is taken from; null for any",
    example: ["203.0.113.0/24", "2001:db8::/32"],
  });

export const expiresAtField = askedTime
  .refine((time) => time.getTime() > Date.now(), "must be in the future")
  .refine(
    (time) => time.getTime() <= Date.now() + longestLife * 86_400_000,
    `must be within ${longestLife} days`,
  )
  .nullable()
  .openapi({
    type: ["string", "null"],
    format: "date-time",
    description: `when the key ends, within ${longestLife} days; null for never`,
    example: "2027-06-01T00:00:00Z",
  });
