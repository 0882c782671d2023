import { type Address, getAddress, isAddressEqual } from "viem";
import type { Database, Transaction } from "../../db/client.ts";
import { and, asc, eq, ne, or, sql } from "../../db/drizzle.ts";
import { OfferChanged } from "../../db/new-order.ts";
import type { OrderRow } from "../../db/order-rows.ts";
import { order, payment } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { paymentKeyOf, recipientOf } from "../../protocol/settlement/x402-payload.ts";
import { findOrCreateAccount } from "../accounts/account.ts";
import type { Context } from "../context.ts";
import { readOwnOrder } from "../orders/order-access.ts";
import type { Draft } from "../orders/order-draft.ts";
import { offerOf, recordDraft } from "../orders/placement.ts";
import { requireBelowUnpaidCaps } from "../orders/unpaid-check.ts";
import {
  beginPayment,
  findCurrentPayment,
  payOrder,
  readOpenRequirements,
  type SubmittedPayment,
} from "../payments/pay-order.ts";
import { checkPayment, matchRequirements } from "../payments/payment-check.ts";
import { PaymentRefusal } from "../payments/payment-refusal.ts";
import { composePayment, type PaymentState, readLatestPayment, readPayment } from "../payments/payments.ts";
import { Refusal } from "../refusal.ts";
import { findRefusalAfterRevert } from "../relay/party-relay.ts";
import type { PaymentToken } from "../services/payment-token.ts";
import { requireOnSale } from "../services/service-on-sale.ts";
import { isSignedByContract, isSignedByKey, provePayer } from "./payer-proof.ts";
import { type CheckedPurchase, draftPurchase, readOffer } from "./purchase-offer.ts";
import { isSealOf, readSeal } from "./sealed-terms.ts";

/** A purchased order with its payment. */
export type PurchasedOrder = { row: OrderRow; payment: PaymentState };

/** A payment with the seal of its offered terms. */
export type SealedPayment = SubmittedPayment & { seal: unknown };

/**
 * Finds the order that a repeated payment has bought. It returns the first result, even if the service has changed.
 *
 * @returns null if the terms have no order, or are not from this service
 * @throws Refusal `conflict` if the order has another payment; for the retry of a failed payment, as `payOrder`
 */
export async function findPurchase(
  context: Context,
  key: Uint8Array,
  submitted: SealedPayment,
): Promise<PurchasedOrder | null> {
  const { db } = context;
  const sealed = readSeal(submitted.seal);
  const row = sealed && (await readOrder(db, sealed.orderId));
  if (!row || !isSealOf(key, submitted.seal, row.escrowId)) return null;
  const current = await findCurrentPayment(db, row.id, submitted.signed);
  if (current) return { row, payment: current };
  const latest = await readLatestPayment(db, row.id);
  if (latest && !isAddressEqual(getAddress(latest.payment.payer), paymentKeyOf(submitted.signed).payer)) {
    throw new Refusal("conflict", "Another wallet has used these terms. Request terms of your own.");
  }
  const caller = { accountId: row.buyerAccountId, keyId: null };
  const own = await readOwnOrder(db, caller, row.id);
  const requirements = await readOpenRequirements(context, caller, own);
  return { row, payment: await payOrder(context, caller, own, requirements, submitted) };
}

/**
 * Buys a service: checks the payment of offered terms, then writes the purchase in one transaction. The purchase is the
 * order, the payment, the relay of the money and, if needed, a new account of the payer. If the payer's nonce or
 * identifier has paid an order of this service and this buyer before, the payer gets that order.
 *
 * @param purchase the repeated request, which must lead to the same terms
 * @param network network of the client
 * @throws PaymentRefusal, with nothing used, also if the terms are expired, changed, or not offered by this service;
 *   Refusal `conflict` for the payer's own service, `rate_limited`, `too_many_unpaid_orders`; PartiesRefused
 */
export async function buy(
  context: Context,
  key: Uint8Array,
  purchase: CheckedPurchase,
  submitted: SealedPayment,
  network: string | null,
): Promise<PurchasedOrder> {
  const { config, db } = context;
  const sealed = readSeal(submitted.seal);
  if (!sealed) throw refuseTerms("terms_unknown");
  // The token that the client chose among the offered terms.
  const { accepted } = submitted;
  const chosen = accepted && purchase.tokens.find((one) => isAsset(one, accepted));
  if (!chosen) {
    const leftOut = accepted && purchase.leftOut.find(({ token }) => isAsset(token, accepted));
    throw leftOut?.refusal ?? refuseTerms("terms_changed");
  }
  const terms = { ...sealed, paidIn: chosen };
  const { draft } = await draftPurchase(context, db, purchase, terms);
  if (!isSealOf(key, submitted.seal, draft.escrowId)) throw refuseTerms("terms_changed");
  const served = context.chain(draft.chainId);
  if (!served) throw new Refusal("dependency_unavailable", `Chain ${draft.chainId} is not served here.`);
  const { requirements, isOver } = await readOffer(context, key, draft);
  if (isOver) throw refuseTerms("terms_expired");
  const requirement = matchRequirements(requirements, submitted.signed, submitted.accepted);
  const mayRepeat = () => isSignedByContract(served, chosen.token, submitted.signed);
  const repeated = await findRepeated(db, draft, chosen, submitted, mayRepeat);
  if (repeated) return repeated;
  const calls = await checkPayment(context, draft, requirement, submitted.signed);
  const proved = await provePayer(served, chosen.token, submitted.signed);

  const written = await inTransaction(db, async (tx) => {
    // The second of two simultaneous requests, even on two replicas, finds the order of the first.
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${draft.id}, 0))`);
    if (await readOrder(tx, draft.id)) return null;
    const { payer, nonce } = paymentKeyOf(submitted.signed);
    for (const name of [nonce, submitted.identifier]) {
      if (name === undefined) continue;
      await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`${payer} ${name}`}, 0))`);
    }
    // The checks before this transaction have proved a contract's signature.
    const repeated = await findRepeated(tx, draft, chosen, submitted, async () => proved.chainId !== null);
    if (repeated) return repeated;
    const { account } = await findOrCreateAccount(tx, proved, network);
    const caller = { accountId: account.id };
    const again = await draftPurchase(context, tx, purchase, { ...terms, payer: account.id });
    if (again.draft.escrowId !== draft.escrowId) throw refuseTerms("terms_changed");
    requireOnSale(purchase.orderTerms, account.id);
    requireOnSale(purchase.orderTerms, again.buyerOwnerId);
    const { providerAccountId } = draft;
    if (config.unpaidOrders) {
      await requireBelowUnpaidCaps(
        tx,
        { buyerAccountId: account.id, providerAccountId },
        config.unpaidOrders,
      );
    }
    const placing = { keyId: null, offer: offerOf(purchase.orderTerms) };
    const row = await recordDraft(tx, draft, account.id, { placing }).catch((error: unknown) => {
      throw error instanceof OfferChanged ? refuseTerms("terms_changed") : error;
    });
    const paymentKey = paymentKeyOf(submitted.signed);
    const composed = composePayment(row, caller, paymentKey, calls, null, submitted.identifier ?? null);
    const resting = await findRefusalAfterRevert(tx, caller, row, composed.payer);
    if (resting) throw resting;
    await beginPayment(context, tx, caller, row, composed);
    return composed.id;
  });
  if (written && typeof written !== "string") return written;
  const bought = written
    ? { row: await readOrder(db, draft.id), payment: await readPayment(db, written) }
    : await findPurchase(context, key, submitted);
  if (!bought?.row) throw new Error(`The order ${draft.id} was written and is not there.`);
  return { ...bought, row: bought.row };
}

/**
 * Finds the order that the payer has bought by an earlier signature with the same nonce or the same identifier. A client that
 * lost the answer signs new terms with the same nonce or identifier. The token accepts a nonce once. An identifier also finds a
 * failed payment, because anybody can still send its signature. The new signature proves the payer's key, or its contract on this chain.
 *
 * @param isOfContract whether the payer's contract accepts the new signature
 * @throws Refusal `conflict` if the identifier names a purchase with another input or quantity
 */
async function findRepeated(
  db: Database | Transaction,
  draft: Pick<Draft, "serviceId" | "buyerAddress" | "depositAddress" | "agreement">,
  { chain, token }: PaymentToken,
  { signed, identifier }: SubmittedPayment,
  isOfContract: () => Promise<boolean>,
): Promise<PurchasedOrder | null> {
  const { method, payer, nonce } = paymentKeyOf(signed);
  const [found] = await db
    .select({ row: order, paymentId: payment.id, identifier: payment.identifier })
    .from(payment)
    .innerJoin(order, eq(order.id, payment.orderId))
    .where(
      and(
        or(
          and(eq(payment.nonce, nonce), eq(payment.method, method), ne(payment.status, "failed")),
          identifier === undefined ? undefined : eq(payment.identifier, identifier),
        ),
        eq(payment.payer, payer.toLowerCase() as Address),
        eq(order.serviceId, draft.serviceId),
        eq(order.buyerAddress, draft.buyerAddress),
      ),
    )
    .orderBy(asc(payment.createdAt))
    .limit(1);
  // Everybody can read an earlier signature on the chain, but it pays another address.
  if (!found || !isAddressEqual(recipientOf(signed), getAddress(draft.depositAddress))) return null;
  if (!(await isSignedByKey(chain.chain_id, token, signed))) {
    // The address of a contract may be another wallet's on another chain.
    if (found.row.chainId !== chain.chain_id || !(await isOfContract())) return null;
  }
  const isOther = (["input_digest", "quantity"] as const).some(
    (name) => found.row.agreement[name] !== draft.agreement[name],
  );
  if (found.identifier !== null && found.identifier === identifier && isOther) {
    throw new Refusal(
      "conflict",
      "This payment-identifier has bought another input or quantity. Nothing was paid. Use a new identifier.",
    );
  }
  return { row: found.row, payment: await readPayment(db, found.paymentId) };
}

/** Whether a token has x402's network and asset. */
function isAsset(
  { chain, token }: PaymentToken,
  { network, asset }: { network: string; asset: string },
): boolean {
  return network === `eip155:${chain.chain_id}` && token.address.toLowerCase() === asset.toLowerCase();
}

async function readOrder(db: Database | Transaction, orderId: string): Promise<OrderRow | null> {
  const [row] = await db.select().from(order).where(eq(order.id, orderId));
  return row ?? null;
}

const refusedTerms = {
  terms_unknown: "The payment has no terms of this service. Pay by the terms of this response.",
  terms_changed:
    "The offered terms do not fit the request: the body differs, or the service changed. Nothing was paid. Pay by the terms of this response.",
  terms_expired:
    "The terms of this payment have expired. Nothing was paid. Pay by the terms of this response.",
};

function refuseTerms(reason: keyof typeof refusedTerms): PaymentRefusal {
  return new PaymentRefusal(reason, "/accepted/extra/terms", refusedTerms[reason]);
}
