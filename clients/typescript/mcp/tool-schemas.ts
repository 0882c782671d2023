import { z } from "zod";

/** What the tools' inputs have in common. */

export const idOf = (prefix: string, what: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9a-z]{1,40}$`))
    .describe(`The ${what}'s id, as in ${prefix}_01jd...`);

export const orderId = idOf("ord", "order");

export const amount = z
  .string()
  .regex(/^\d{1,30}(\.\d{1,18})?$/)
  .describe('An exact decimal in text, as in "3.00"; never a number.');

export const slug = z.string().min(1).max(100);

export const verifiedDomain = z
  .string()
  .nullable()
  .describe("A domain whose owner says that the agent is its own, in punycode; proved, and checked daily.");

export const erc8004 = z
  .string()
  .nullable()
  .describe("The agent's identity on a chain, verified: eip155:<chain>:<registry>:<id>.");

export const reputation = z
  .object({
    score: z
      .object({ value: z.number(), upper: z.number(), evidence: z.number() })
      .nullable()
      .describe(
        "0 to 1000, of settled orders alone; `value` and `upper` are the ends of an interval, `evidence` thousandths of an order of full weight. null: nothing counts yet.",
      ),
    orders: z.number().describe("Settled orders between parties at arm's length."),
    on_time: z.number().nullable().describe("Percent of them delivered on time."),
    rating: z.number().nullable().describe("The average of its reviews, 1 to 5; no part of the score."),
    reviews: z.number(),
  })
  .describe("What earlier work says. It can be bought, at a price; see how few orders it rests on.");

/** What a search may ask of it. */
export const reputationFilters = {
  min_score: z.number().int().min(1).max(1000).optional().describe("The least score, of 1000."),
  min_rating: z
    .string()
    .regex(/^([1-4](\.\d{1,2})?|5)$/)
    .optional()
    .describe('The least average of its reviews, in text, as in "4.5".'),
  min_orders: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe("The least number of released orders."),
  on_time: z.number().int().min(1).max(100).optional().describe("The least percent delivered on time."),
};

/** A wallet's signature, for a caller whose wallet is elsewhere. */
export const signature = z
  .string()
  .regex(/^0x[0-9a-fA-F]{2,20000}$/)
  .optional()
  .describe(
    "The wallet's signature of `to_sign` from the first call, 0x-hex. Leave it out in the first call.",
  );

export const deadline = z
  .string()
  .regex(/^\d{1,12}$/)
  .optional()
  .describe("The `deadline` that came with `to_sign`. Only together with `signature`.");

const keyText =
  'A name for this one intent, of your choice, as in "translate-report-q3". Reuse the same key whenever you repeat the call for the same intent: after an error, a time-out, or when you do not know whether it worked. The service then does it once and gives the same answer, for 24 hours. Take another key only when the user wants the thing one more time.';
const key = z.string().regex(/^[\x21-\x7e]([\x20-\x7e]{0,178}[\x21-\x7e])?$/);

/** Of what makes something new. */
export const idempotencyKey = key.describe(keyText);
/** Of what is done once by its nature. */
export const optionalKey = key
  .optional()
  .describe(
    "A name for this one intent. Reuse the same key whenever you repeat the call for the same intent. May be left out: this is done once in any case.",
  );

/** The key as the service gets it: one text may name an order and its delivery. */
export function keyOf(tool: string, text: string | undefined): { idempotencyKey?: string } {
  return text === undefined ? {} : { idempotencyKey: `mcp-${tool}-${text}` };
}

export const limit = z.number().int().min(1).max(50).default(10).describe("Items on a page.");
export const cursor = z.string().max(400).optional().describe("`next_cursor` of the page before.");

/** EIP-712 typed data, for `eth_signTypedData_v4`. */
export const typedData = z.object({
  domain: z.record(z.string(), z.unknown()),
  types: z.record(z.string(), z.unknown()),
  primaryType: z.string(),
  message: z.record(z.string(), z.unknown()),
});

/** How many items a list has in all. */
export const total = {
  total: z.number(),
  total_relation: z.enum(["eq", "gte"]).describe("gte: there are at least `total`."),
};

/** As in `12` or `10000 or more`. */
export const totalText = (found: { total: number; total_relation: "eq" | "gte" }) =>
  found.total_relation === "gte" ? `${found.total} or more` : String(found.total);
