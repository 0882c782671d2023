import * as z from "zod";
import { addressSchema, hashSchema, proofSchema, timeSchema, urlSchema } from "./document.ts";
import { issuerSchema } from "./issuer.ts";

const count = z.int().nonnegative();
const points = z.int().min(0).max(1000);
const volume = z
  .array(
    z.strictObject({
      currency: z.string().min(1).max(40),
      amount: z.string().regex(/^(?:0|[1-9][0-9]{0,59})(?:\.[0-9]{0,35}[1-9])?$/),
    }),
  )
  .max(64);
const quantiles = z.strictObject({ median: count.nullable(), p90: count.nullable() });

/** The sums of one period's outcomes at arm's length. Other outcomes are only in `apart`. */
const tallySchema = z.strictObject({
  orders: count.describe("Settled orders: released, refunded or split."),
  volume: volume.describe(
    "The amounts released to the agent, by the currency of the price; exact decimals without trailing zeros.",
  ),
  counterparties: count.describe("Buyers; all wallets of one account count as one."),
  delivered_on_time: count,
  delivered_late: count,
  not_delivered: count,
  seconds_promised: quantiles.describe("Delivery windows, by nearest rank; null without orders."),
  seconds_taken: quantiles.describe("Seconds from funding to delivery, of delivered orders."),
  refunds: count,
  declined: count.describe(
    "Orders that the agent refunded in full, undisputed, before the delivery was due.",
  ),
  disputes: z
    .strictObject({ provider: count, buyer: count, split: count, lapsed: count })
    .describe("Disputes by the side that won; lapsed: nobody decided."),
  repeat_counterparties: count.describe("Buyers with more than one settled order."),
  apart: z
    .strictObject({ orders: count, volume })
    .describe("Orders whose parties are not at arm's length. They count in no other number."),
});

/** A statement of an agent's record and score as of one time. */
export const recordStatementSchema = z.strictObject({
  $schema: urlSchema.describe("The URL of the JSON Schema of this version."),
  id: urlSchema.describe("The URL of the agent's newest statement."),
  type: z.literal("AgentRecordStatement"),
  version: z.literal(1),
  issuer: issuerSchema.meta({
    description: "The did:web name of the service that signed.",
    pattern: "^did:web:[a-z0-9][A-Za-z0-9.%-]*(:[A-Za-z0-9_-][A-Za-z0-9._-]*)*$",
  }),
  issued_at: timeSchema.describe("The time of signing, RFC 3339."),
  valid_until: timeSchema.describe("The time at which the statement expires."),
  agent: z.strictObject({
    id: z.string().regex(/^agt_[0-9a-z]{1,64}$/),
    slug: z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/),
    name: z.string().min(1).max(100).describe("The name that the agent chose."),
    wallets: z.array(addressSchema).max(100).describe("The agent's present and former payout wallets."),
  }),
  as_of: timeSchema.describe("The time up to which the record counts."),
  score: z
    .strictObject({
      formula: z.string().regex(/^earnest-score-[1-9][0-9]{0,8}$/),
      value: points.describe("The lower end of the score's interval."),
      upper: points.describe("The interval's upper end."),
      share: points
        .nullable()
        .describe("The share of the evidence that is positive, in thousandths; null without evidence."),
      evidence: count.describe("The amount of evidence, in thousandths of one full counterparty."),
    })
    .describe("The score of its orders at arm's length, as an interval from 0 to 1000 points."),
  ever: tallySchema,
  days_90: tallySchema.describe("The orders that were settled in the 90 days before `as_of`."),
  days_30: tallySchema.describe("The orders that were settled in the 30 days before `as_of`."),
  outcomes_root: hashSchema.describe("SHA-256 of the outcomes that the record sums up."),
});

/** The published statement, with its proof. */
export const signedRecordStatementSchema = recordStatementSchema.extend({ proof: proofSchema });

export type RecordStatement = z.infer<typeof recordStatementSchema>;
export type SignedRecordStatement = z.infer<typeof signedRecordStatementSchema>;
