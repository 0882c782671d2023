import type { Address } from "viem";
import type { Database } from "../../db/client.ts";
import { and, eq, isNull, sql } from "../../db/drizzle.ts";
import { order, payment } from "../../db/schema.ts";
import type { PaymentRequirements } from "../../protocol/settlement/x402.ts";
import { paymentKeyOf } from "../../protocol/settlement/x402-payload.ts";
import type { Context } from "../context.ts";
import {
  type OrderToPay,
  payOrder,
  readOpenRequirements,
  requireSame,
  type SubmittedPayment,
} from "./pay-order.ts";
import { type Accepted, checkPayment, matchRequirements } from "./payment-check.ts";
import { PaymentRefusal, refusePayment } from "./payment-refusal.ts";
import { type PaidOrder, type PaymentState, readUnpaid } from "./payments.ts";

/** A payment that a resource server hands in for its client, with the requirements that it asked for. */
export type FacilitatedPayment = SubmittedPayment & { accepted: Accepted; chainId: number; payTo: Address };

/** No key's limits apply: a payer's signature pays one order, and anyone may send it. */
const anyone = { keyId: null };

/**
 * Verifies that a payment can fund its order, as x402's facilitators do. Writes nothing. A payment that was handed in is used:
 * everybody can read it on the chain, so a seller must not serve for it again.
 *
 * @throws PaymentRefusal; Refusal, as `readOpenRequirements` and `checkPayment`
 */
export async function verifyFacilitated(context: Context, submitted: FacilitatedPayment): Promise<void> {
  const { row, requirements } = await readFacilitated(context, submitted);
  if (requirements === null) throw refuseUsed(submitted);
  await checkPayment(
    context,
    row,
    matchRequirements(requirements, submitted.signed, submitted.accepted),
    submitted.signed,
  );
}

/**
 * Accepts a payment for its order, and relays it. The same payment again is refused, unless its success was not known in time.
 *
 * @throws as `verifyFacilitated`, and as `payOrder`
 */
export async function settleFacilitated(
  context: Context,
  submitted: FacilitatedPayment,
): Promise<{ row: PaidOrder; state: PaymentState }> {
  const { row, now, current, requirements } = await readFacilitated(context, submitted);
  const buyer = { accountId: row.buyerAccountId, ...anyone };
  const state =
    requirements === null ? current : await payOrder(context, buyer, { row, now }, requirements, submitted);
  await claimPayment(context.db, state.payment.id, submitted);
  return { row, state };
}

/**
 * Claims the payment for one request of a resource server. Two servers, or two equal requests to one server, cannot both serve
 * for one payment. Anyone else can read the payment on the chain only after this claim.
 *
 * @throws PaymentRefusal if another request has it
 */
async function claimPayment(db: Database, paymentId: string, submitted: FacilitatedPayment): Promise<void> {
  const claimed = await db
    .update(payment)
    .set({ claimedAt: sql`now()` })
    .where(and(eq(payment.id, paymentId), isNull(payment.claimedAt)))
    .returning({ id: payment.id });
  if (claimed.length === 0) throw refuseUsed(submitted);
}

/** Lets a later request settle a payment whose success was not known in time. */
export async function releaseClaim({ db }: Pick<Context, "db">, paymentId: string): Promise<void> {
  await db.update(payment).set({ claimedAt: null }).where(eq(payment.id, paymentId));
}

function refuseUsed({ signed }: FacilitatedPayment): PaymentRefusal {
  const { method } = paymentKeyOf(signed);
  return refusePayment(
    method === "permit2" ? "permit2_invalid_nonce" : "invalid_exact_evm_nonce_already_used",
  );
}

type Facilitated = Pick<OrderToPay, "row" | "now"> &
  ({ current: PaymentState; requirements: null } | { current: null; requirements: PaymentRequirements[] });

/** Reads the order that a payment pays. `requirements` is null if the order has this very payment already. */
async function readFacilitated(
  context: Context,
  { signed, chainId, payTo }: FacilitatedPayment,
): Promise<Facilitated> {
  // The chain id of a request may be larger than the database's integers.
  const found = context.chain(chainId) ? await findByDeposit(context.db, chainId, payTo) : null;
  if (found?.row.settlementRail !== "x402") {
    throw new PaymentRefusal(
      "order_unknown",
      "/paymentRequirements/payTo",
      "This is not the deposit address of an order on the rail x402. Use a 402 response of this marketplace unchanged.",
    );
  }
  const { row, escrow, now, current } = found;
  requireSame(current, signed);
  if (current) return { row, now, current, requirements: null };
  const requirements = await readOpenRequirements(context, anyone, { row, escrow, now });
  return { row, now, current, requirements };
}

async function findByDeposit(db: Database, chainId: number, payTo: Address) {
  const [found] = await db
    .select({ id: order.id })
    .from(order)
    .where(and(eq(order.depositAddress, payTo), eq(order.chainId, chainId)));
  return found ? readUnpaid(db, found.id) : null;
}
