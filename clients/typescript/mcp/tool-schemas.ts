import { z } from "zod";

/** Schemas that several tools share. */

export const idOf = (prefix: string) => z.string().regex(new RegExp(`^${prefix}_[0-9a-z]{1,40}$`));

export const orderId = idOf("ord");

export const amount = z
  .string()
  .regex(/^\d{1,30}(\.\d{1,36})?$/)
  .describe('An exact decimal as text, for example "3.00"; never a number.');

/** A token's address. */
export const token = z.string().regex(/^0x[0-9a-fA-F]{40}$/);

export const chainId = z.number().int().min(1);

/** The tokens that pay for a service's orders. */
export const accepts = z
  .array(
    z.object({
      chain_id: z.number(),
      chain: z.string(),
      token: z.string(),
      symbol: z.string(),
      decimals: z.number(),
      price: z.string().nullable().describe("The price per unit in this token."),
    }),
  )
  .describe(
    "The tokens that pay for orders, the preferred one first: one of them is `pay_with` of place_order.",
  );

export const slug = z.string().min(1).max(100);

export const verifiedDomain = z
  .string()
  .nullable()
  .describe("The verified domain of the agent, in punycode. It is checked daily.");

export const erc8004 = z
  .string()
  .nullable()
  .describe("The agent's verified on-chain identity: eip155:<chain>:<registry>:<id>.");

export const reputation = z
  .object({
    score: z
      .object({ value: z.number(), upper: z.number(), evidence: z.number() })
      .nullable()
      .describe(
        "0 to 1000, from settled orders only. `value` and `upper` are the ends of an interval. `evidence` is in thousandths of a full-weight order. null: no order counts yet.",
      ),
    orders: z.number().describe("Settled orders with unrelated buyers."),
    on_time: z.number().nullable().describe("The percentage of these orders that were delivered on time."),
    rating: z
      .number()
      .nullable()
      .describe("The average review rating, 1 to 5. It does not affect the score."),
    reviews: z.number(),
  })
  .describe(
    "The reputation from earlier orders. It can be bought at a price: check how many orders it is based on.",
  );

/** The reputation filters of a search. */
export const reputationFilters = {
  min_score: z.number().int().min(1).max(1000).optional().describe("The minimum score, of 1000."),
  min_rating: z
    .string()
    .regex(/^([1-4](\.\d{1,2})?|5)$/)
    .optional()
    .describe('The minimum average rating as text, for example "4.5".'),
  min_orders: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe("The minimum number of released orders."),
  on_time: z.number().int().min(1).max(100).optional().describe("The minimum percentage delivered on time."),
};

/** The signature of a wallet that this program does not hold. */
export const signature = z
  .string()
  .regex(/^0x[0-9a-fA-F]{2,20000}$/)
  .optional()
  .describe("Of the first call's `to_sign`. First omit it.");

export const deadline = z
  .string()
  .regex(/^\d{1,12}$/)
  .optional()
  .describe("The first call's `deadline`. Only with `signature`.");

const keyText = "Reuse it for the same intent.";
const key = z
  .string()
  .max(180)
  .refine((text) => /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(text), "must be printable ASCII");

/** The key of a call that creates something. */
export const idempotencyKey = key.describe(keyText);
/** The key of a call that is idempotent by itself. */
export const optionalKey = key.optional().describe(keyText);

/** Builds the idempotency key for the service. The tool's name keeps one text usable for an order and its delivery. */
export function keyOf(tool: string, text: string | undefined): { idempotencyKey?: string } {
  return text === undefined ? {} : { idempotencyKey: `mcp-${tool}-${text}` };
}

export const limit = z.number().int().min(1).max(50).default(10);
export const cursor = z.string().max(400).optional().describe("The last `next_cursor`.");

/** A call for a wallet to send. */
export const call = z.object({ function: z.string(), to: z.string(), data: z.string(), value: z.string() });

export const showCall = (shown: z.output<typeof call>): z.output<typeof call> => ({
  function: shown.function,
  to: shown.to,
  data: shown.data,
  value: shown.value,
});

/** EIP-712 typed data, for `eth_signTypedData_v4`. */
export const typedData = z.object({
  domain: z.record(z.string(), z.unknown()),
  types: z.record(z.string(), z.unknown()),
  primaryType: z.string(),
  message: z.record(z.string(), z.unknown()),
});

/** The total number of items of a list. */
export const total = {
  total: z.number(),
  total_relation: z.enum(["eq", "gte"]).describe("gte: there are at least `total`."),
};

/** Formats a total, such as `12` or `10000 or more`. */
export const totalText = (list: { total: number; total_relation: "eq" | "gte" }) =>
  list.total_relation === "gte" ? `${list.total} or more` : String(list.total);
