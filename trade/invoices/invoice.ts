import { typeid } from "typeid-js";
import type { Database, Transaction } from "../../db/client.ts";
import { and, desc, eq, inArray, lt, max } from "../../db/drizzle.ts";
import { readFacts } from "../../db/ledger.ts";
import type { FoldableFact, OrderRow } from "../../db/order-rows.ts";
import { type BillingDetails, billingDetails, invoice, receipt } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Caller } from "../context.ts";
import { readOwnOrder } from "../orders/order-access.ts";
import { Refusal } from "../refusal.ts";
import { readBillingDetails } from "./billing-details.ts";
import { splitTax, type TaxedAmount } from "./included-tax.ts";
import { factsBeforeRevert, type Settlement, settlementOf } from "./settlement.ts";

type InvoiceRow = typeof invoice.$inferSelect;

/** The invoice of a settled order; a payment record as long as the seller has no billing details. */
export type OrderInvoice = {
  /** null for a record of the payment, which has no number and may change */
  issued: { number: number; at: Date; isVoid: boolean; replaces: number | null } | null;
  order: OrderRow;
  settlement: Settlement;
  seller: BillingDetails | null;
  buyer: BillingDetails | null;
  /** null if the seller states no tax */
  tax: (TaxedAmount & { rate: string }) | null;
  /** the id of each movement's receipt, by the id of the fact */
  receipts: Map<string, string>;
};

/**
 * Returns the invoice of an order for a party. The first request that finds the seller's billing details issues the invoice,
 * and later requests get the same invoice.
 *
 * If the chain reverts the settlement, the invoice is void. A later settlement gets another invoice, which names the void one.
 *
 * @throws Refusal `not_found`, `not_settled`, or `invalid_state` if the seller was paid nothing
 */
export async function readInvoice(db: Database, caller: Caller, orderId: string): Promise<OrderInvoice> {
  const { row } = await readOwnOrder(db, caller, orderId);
  const facts = await readFacts(db, row.id);
  const settlement = settlementOf(facts);
  if (settlement && settlement.paid > 0n) {
    const issued =
      (await findInvoice(db, settlement)) ??
      (await inTransaction(db, (tx) => issueInvoice(tx, row, settlement)));
    return issued ? present(issued, settlement) : presentRecord(settlement);
  }
  const [last] = await db
    .select()
    .from(invoice)
    .where(eq(invoice.orderId, row.id))
    .orderBy(desc(invoice.number))
    .limit(1);
  const before = last && settlementOf(factsBeforeRevert(facts, last.factId));
  if (last && before) return present(last, before);
  if (settlement) {
    throw new Refusal("invalid_state", "The order was refunded: the seller was paid nothing.");
  }
  throw new Refusal("not_settled", "The order is not settled yet: an invoice follows the last payment.");

  async function present(issued: InvoiceRow, of: Settlement): Promise<OrderInvoice> {
    const [replaced] = await db
      .select({ number: invoice.number })
      .from(invoice)
      .where(and(eq(invoice.orderId, row.id), lt(invoice.number, issued.number)))
      .orderBy(desc(invoice.number))
      .limit(1);
    const { tax_rate: rate } = issued.seller;
    const isVoid = of.fact.id !== settlement?.fact.id;
    return {
      issued: {
        number: issued.number,
        at: issued.createdAt,
        isVoid,
        replaces: replaced?.number ?? null,
      },
      order: { ...row, serviceTitle: issued.serviceTitle, agentName: issued.agentName },
      settlement: of,
      seller: issued.seller,
      buyer: issued.buyer,
      tax: rate === null ? null : { ...splitTax(of.paid, rate), rate },
      receipts: await readReceiptIds(db, of.movements),
    };
  }

  async function presentRecord(of: Settlement): Promise<OrderInvoice> {
    // Only an issued invoice shows the buyer's details to the seller.
    const isBuyer = caller.accountId === row.buyerAccountId;
    const buyer = isBuyer ? await readBillingDetails(db, row.buyerAccountId) : undefined;
    return {
      issued: null,
      order: row,
      settlement: of,
      seller: null,
      tax: null,
      buyer: buyer?.details ?? null,
      receipts: await readReceiptIds(db, of.movements),
    };
  }
}

async function findInvoice(
  db: Database | Transaction,
  { fact }: Settlement,
): Promise<InvoiceRow | undefined> {
  const [row] = await db
    .select()
    .from(invoice)
    .where(and(eq(invoice.orderId, fact.orderId), eq(invoice.factId, fact.id)));
  return row;
}

/**
 * Issues the invoice of an order that has none yet, before an erasure removes what it names. Does nothing for an order without a
 * payment, or without the seller's billing details.
 */
export async function issueMissingInvoice(tx: Transaction, row: OrderRow): Promise<void> {
  const settlement = settlementOf(await readFacts(tx, row.id));
  if (settlement && settlement.paid > 0n) await issueInvoice(tx, row, settlement);
}

/** Issues the invoice of a settlement, once; undefined while the seller has no billing details. */
async function issueInvoice(
  tx: Transaction,
  { buyerAccountId, providerAccountId, serviceTitle, agentName }: OrderRow,
  settlement: Settlement,
): Promise<InvoiceRow | undefined> {
  // The lock lets one invoice of a seller be numbered at a time, so no number is lost or used twice.
  const [own] = await tx
    .select()
    .from(billingDetails)
    .where(eq(billingDetails.accountId, providerAccountId))
    .for("update");
  if (!own) return undefined;
  const other = await findInvoice(tx, settlement);
  if (other) return other;
  const [last] = await tx
    .select({ number: max(invoice.number) })
    .from(invoice)
    .where(eq(invoice.sellerAccountId, providerAccountId));
  const [row] = await tx
    .insert(invoice)
    .values({
      id: typeid("ivc").toString(),
      orderId: settlement.fact.orderId,
      factId: settlement.fact.id,
      sellerAccountId: providerAccountId,
      number: (last?.number ?? 0) + 1,
      seller: own.details,
      buyer: (await readBillingDetails(tx, buyerAccountId))?.details ?? null,
      serviceTitle,
      agentName,
    })
    .returning();
  return row;
}

async function readReceiptIds(
  db: Database,
  movements: readonly FoldableFact[],
): Promise<Map<string, string>> {
  const ids = movements.map(({ id }) => id);
  const rows = await db
    .select({ id: receipt.id, factId: receipt.factId })
    .from(receipt)
    .where(inArray(receipt.factId, ids));
  return new Map(rows.map(({ id, factId }) => [factId, id]));
}
