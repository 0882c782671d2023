import * as z from "zod";
import { baseUnitsPattern, hashPattern, slugPattern } from "../settlement/shapes.ts";
import { currencySchema, volumeSchema } from "./volume.ts";

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/);
const baseUnits = z.string().max(39).regex(baseUnitsPattern);
const time = z.iso.datetime({ offset: true });

/** The reasons for which an order's parties are not at arm's length. */
export const apartReasons = ["same_party", "shared_wallet", "money_from_provider"] as const;

/**
 * The ends of an order; `declined`: the provider refunded everything, undisputed, before the delivery was due; `metered`: a
 * metered order or a session released the price of its units or calls, and returned any rest, undisputed.
 */
export const orderEndings = ["released", "refunded", "declined", "split", "metered"] as const;

/** The side that won a dispute; `lapsed`: nobody decided it, so it ended by time. */
export const disputeEndings = ["provider", "buyer", "split", "lapsed"] as const;

/** The settlement outcome of one order: a line of the public data from which records and scores are computed. */
export const outcomeSchema = z
  .strictObject({
    order_id: z.string().regex(/^ord_[0-9a-z]{1,64}$/),
    service: z.string().regex(slugPattern),
    chain: z.string().regex(/^eip155:[1-9][0-9]{0,15}$/),
    contract: address,
    escrow_id: z.string().regex(hashPattern),
    provider: address,
    buyer: address,
    wallet: address.describe(
      "the wallet that counts as the buyer's: `buyer` if the buyer's account has proved it, else the payer of the escrow",
    ),
    token: address,
    token_decimals: z.int().min(0).max(36),
    currency: currencySchema,
    amount: baseUnits.describe("base units of the token: the sum of `released` and `refunded`"),
    released: baseUnits,
    refunded: baseUnits,
    receipts: z
      .array(z.string().regex(/^rcp_[0-9a-z]{1,64}$/))
      .max(4)
      .describe("ids of the receipts of the funding and the settlement"),
    funded_at: time,
    settled_at: time,
    recorded_at: time.describe(
      "the time at which the service recorded the settlement; earlier records lack it",
    ),
    promised_seconds: z
      .int()
      .nonnegative()
      .max(0xffff_ffff)
      .describe("seconds from funding to the delivery deadline"),
    delivered_at: time
      .nullable()
      .describe(
        "the first delivery that matches a record on the chain, else the first delivery; null without one",
      ),
    ended: z.enum(orderEndings),
    dispute: z
      .enum(disputeEndings)
      .nullable()
      .describe("the side that won the dispute; null without a dispute"),
    disputed_by: z.enum(["buyer", "provider"]).nullable(),
    disputed_at: time.nullable(),
    counterparty: z
      .string()
      .regex(/^c[1-9][0-9]{0,15}$/)
      .describe("a name of the buyer's account that is unique within this agent's outcomes"),
    apart: z
      .enum(apartReasons)
      .nullable()
      .describe(
        "the reason for which the parties are not at arm's length, so that the order counts apart; null if they are",
      ),
    unchecked: z
      .boolean()
      .describe(
        "true until the chain was checked for a transfer of the money from the provider to the buyer",
      ),
  })
  .refine(({ amount, released, refunded }) => BigInt(released) + BigInt(refunded) === BigInt(amount), {
    error: "the sum of released and refunded must be the amount",
  });
export type Outcome = z.infer<typeof outcomeSchema>;

/** The public line of one counterparty of an agent. */
export const counterpartySchema = z.strictObject({
  counterparty: outcomeSchema.shape.counterparty,
  wallets: z
    .array(address)
    .describe(
      "the wallets of its orders at arm's length that its account has proved, the first used first; none of an earlier counterparty",
    ),
  orders: z.int().nonnegative().describe("the number of orders at arm's length"),
  paid: volumeSchema,
  wallet_since: time
    .nullable()
    .describe("the time of the first transaction or escrow of one of the wallets; null if unknown"),
  other_providers: z
    .int()
    .nonnegative()
    .max(1000)
    .describe(
      "the other provider wallets that one of the wallets paid; each must have payments from three wallets that never paid this agent",
    ),
  first_funded_at: time,
  last_settled_at: time,
  weight: z.int().min(0).max(1_000_000).describe("the weight of its good orders in the score, in millionths"),
});
export type Counterparty = z.infer<typeof counterpartySchema>;

/**
 * Whether the provider was paid for its work: the whole price, that of the used units or calls, or more than half. The origin of
 * the money matters only then, so that a provider cannot hide a failure by paying for it.
 */
export function isPaid({ ended, released, refunded }: Ending): boolean {
  return ended === "metered" ? BigInt(released) > 0n : BigInt(released) > BigInt(refunded);
}

/** The end of an order, with amounts in base units. */
type Ending = { ended: Outcome["ended"]; released: string | bigint; refunded: string | bigint };

/** Returns the last time at which a delivery is on time, in milliseconds. */
export function dueAt({
  funded_at,
  promised_seconds,
}: Pick<Outcome, "funded_at" | "promised_seconds">): number {
  return Date.parse(funded_at) + promised_seconds * 1000;
}

/** Selects the outcomes that were recorded up to a time. */
export function recordedUntil(outcomes: readonly Outcome[], asOf: Date): Outcome[] {
  return outcomes.filter(({ recorded_at }) => Date.parse(recorded_at) <= asOf.getTime());
}
