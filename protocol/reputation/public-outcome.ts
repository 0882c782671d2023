import * as z from "zod";
import { baseUnitsPattern, hashPattern, slugPattern } from "../settlement/shapes.ts";

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const baseUnits = z.string().max(39).regex(baseUnitsPattern);
const time = z.iso.datetime({ offset: true });

/** Why an order's parties are not at arm's length. */
export const apartReasons = ["same_party", "shared_wallet", "money_from_provider"] as const;

/** How an order ended; `declined`: its provider gave all back by itself, undisputed, before the delivery was due. */
export const endings = ["released", "refunded", "declined", "split"] as const;

/** For whom a dispute ended; `lapsed`: nobody decided it, so that it ended by time. */
export const disputeEndings = ["provider", "buyer", "split", "lapsed"] as const;

/** One order that stands as settled: a line of the public data that records and scores are folded from. */
export const outcomeSchema = z
  .strictObject({
    order_id: z.string().regex(/^ord_[0-9a-z]{1,64}$/),
    service: z.string().regex(slugPattern),
    chain: z.string().regex(/^eip155:[1-9][0-9]{0,15}$/),
    contract: address,
    escrow_id: z.string().regex(hashPattern),
    provider: address,
    buyer: address,
    token: address,
    token_decimals: z.int().min(0).max(36),
    amount: baseUnits.describe("base units of the token, as the two after it, which come to it"),
    released: baseUnits,
    refunded: baseUnits,
    receipts: z
      .array(z.string().regex(/^rcp_[0-9a-z]{1,64}$/))
      .max(4)
      .describe("ids of the receipts of its funding and its settlement"),
    funded_at: time,
    settled_at: time,
    recorded_at: time.describe(
      "when the service knew of the settlement: a record of an earlier moment lacks it",
    ),
    promised_seconds: z
      .int()
      .nonnegative()
      .max(0xffff_ffff)
      .describe("from funding to the delivery's deadline"),
    delivered_at: time
      .nullable()
      .describe(
        "the first delivery that matches a record on the chain, else the first one; null where none was",
      ),
    ended: z.enum(endings),
    dispute: z.enum(disputeEndings).nullable().describe("for whom its dispute ended; null where none was"),
    disputed_by: z.enum(["buyer", "provider"]).nullable(),
    disputed_at: time.nullable(),
    counterparty: z
      .string()
      .regex(/^c[1-9][0-9]{0,15}$/)
      .describe("the buyer's account, by a name that holds within this agent's outcomes alone"),
    apart: z
      .enum(apartReasons)
      .nullable()
      .describe(
        "why the parties are not at arm's length, so that the order counts apart; null where they are",
      ),
    unchecked: z
      .boolean()
      .describe("true while the chain was not asked yet whether the buyer's money came from the provider"),
  })
  .refine(({ amount, released, refunded }) => BigInt(released) + BigInt(refunded) === BigInt(amount), {
    error: "released and refunded must come to the amount",
  });
export type Outcome = z.infer<typeof outcomeSchema>;

/** The public line of one counterparty of an agent, besides its outcomes. */
export const counterpartySchema = z.strictObject({
  counterparty: outcomeSchema.shape.counterparty,
  wallets: z.array(address).describe("that funded its orders at arm's length, the earliest first"),
  orders: z.int().nonnegative().describe("at arm's length"),
  paid: z.string().describe("whole tokens that were released to the agent"),
  wallet_since: time
    .nullable()
    .describe(
      "since when one of the wallets is in use on the chain, by a transaction or an escrow; null where it is not known",
    ),
  other_providers: z
    .int()
    .nonnegative()
    .max(1000)
    .describe(
      "other provider wallets that one of the wallets paid, each paid besides by three wallets that never paid this agent",
    ),
  first_funded_at: time,
  last_settled_at: time,
  weight: z.int().min(0).max(1_000_000).describe("what its good orders weigh in the score, in millionths"),
});
export type Counterparty = z.infer<typeof counterpartySchema>;

/** Millionths of a whole token, rounded down: what records and scores count in, whatever the token's decimals. */
export function worthOf(baseUnits: string, decimals: number): bigint {
  return (BigInt(baseUnits) * 1_000_000n) / 10n ** BigInt(decimals);
}

/** The last moment at which a delivery is on time, in milliseconds. */
export function dueAt({
  funded_at,
  promised_seconds,
}: Pick<Outcome, "funded_at" | "promised_seconds">): number {
  return Date.parse(funded_at) + promised_seconds * 1000;
}

/** The outcomes that a record as of a moment is of. */
export function knownAt(outcomes: readonly Outcome[], asOf: Date): Outcome[] {
  return outcomes.filter(({ recorded_at }) => Date.parse(recorded_at) <= asOf.getTime());
}
