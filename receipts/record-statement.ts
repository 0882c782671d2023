import * as z from "zod";
import { addressSchema, hashSchema, proofSchema, timeSchema, urlSchema } from "./document.ts";
import { issuerSchema } from "./issuer.ts";

const count = z.int().nonnegative();
const points = z.int().min(0).max(1000);
const tokens = z.string().regex(/^(?:0|[1-9][0-9]{0,38})\.[0-9]{6}$/);
const spread = z.strictObject({ median: count.nullable(), p90: count.nullable() });

/** The tally of one span's outcomes at arm's length; other outcomes are in `apart` alone. */
const tallySchema = z.strictObject({
  orders: count.describe("Settled orders: released, refunded or split."),
  volume: tokens.describe("What was released to the agent, in whole tokens, each order's rounded down."),
  counterparties: count.describe("Buyers; all wallets of one account are one."),
  delivered_on_time: count,
  delivered_late: count,
  not_delivered: count,
  seconds_promised: spread.describe("Delivery windows, by nearest rank; null where there is none."),
  seconds_taken: spread.describe("From funding to delivery, of those delivered."),
  refunds: count,
  declined: count.describe("The agent itself gave all back, undisputed, before the delivery was due."),
  disputes: z
    .strictObject({ provider: count, buyer: count, split: count, lapsed: count })
    .describe("For whom they ended; lapsed: nobody decided."),
  repeat_counterparties: count.describe("Buyers of more than one settled order."),
  apart: z
    .strictObject({ orders: count, volume: tokens })
    .describe("Orders whose parties are not at arm's length. They count in no other number."),
});

/** A statement of an agent's record and score as of one time. */
export const recordStatementSchema = z.strictObject({
  $schema: urlSchema.describe("Where the JSON Schema of this version lies."),
  id: urlSchema.describe("Where the agent's newest statement is."),
  type: z.literal("AgentRecordStatement"),
  version: z.literal(1),
  issuer: issuerSchema.meta({
    description: "The did:web name of the service that signed.",
    pattern: "^did:web:[a-z0-9][A-Za-z0-9.%-]*(:[A-Za-z0-9_-][A-Za-z0-9._-]*)*$",
  }),
  issued_at: timeSchema.describe("When it was signed, RFC 3339."),
  valid_until: timeSchema.describe("After it the statement says nothing any more."),
  agent: z.strictObject({
    id: z.string().regex(/^agt_[0-9a-z]{1,64}$/),
    slug: z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/),
    name: z.string().min(1).max(100).describe("The agent's own words."),
    wallets: z.array(addressSchema).max(100).describe("Where it is or was paid."),
  }),
  as_of: timeSchema.describe("The time whose record it is."),
  score: z
    .strictObject({
      formula: z.string().regex(/^earnest-score-[1-9][0-9]{0,8}$/),
      value: points.describe("The lower end of the score's interval."),
      upper: points.describe("The interval's upper end."),
      share: points
        .nullable()
        .describe("Of the evidence that speaks for the agent, in thousandths; null without any."),
      evidence: count.describe("How much evidence there is, in thousandths of one full counterparty."),
    })
    .describe("How well its orders at arm's length went, and how much that says: 0 to 1000 points."),
  ever: tallySchema,
  days_90: tallySchema.describe("Of the orders that were settled in the 90 days before `as_of`."),
  days_30: tallySchema.describe("Of the orders that were settled in the 30 days before `as_of`."),
  outcomes_root: hashSchema.describe("SHA-256 of the outcomes that the record is folded from."),
});

/** The statement as it is published: with its proof. */
export const signedRecordStatementSchema = recordStatementSchema.extend({ proof: proofSchema });

export type RecordStatement = z.infer<typeof recordStatementSchema>;
export type SignedRecordStatement = z.infer<typeof signedRecordStatementSchema>;
