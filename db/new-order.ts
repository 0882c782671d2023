import { and, eq } from "drizzle-orm";
import type { OrderState } from "../facts/lifecycle.ts";
import type { Transaction } from "./client.ts";
import { type NewFact, type OrderRow, recordFacts } from "./ledger.ts";
import { agent, keySpending, order, service } from "./schema.ts";

/** An order that is about to be written, without what the fold of its facts will say. */
export type NewOrder = Omit<OrderRow, "outputPayload" | keyof OrderState>;

/** What else is written with an order, and what must still hold. */
export type Placing = {
  /** the key that the order counts against; null where a person orders */
  keyId: string | null;
  /** the versions of service and agent that were read: neither may have been changed since */
  offer?: { service: number; agent: number };
};

/** Thrown where a service or its agent were changed since they were read; nothing was written. */
export class OfferChanged extends Error {
  override name = "OfferChanged";
}

/**
 * Records an order together with its first fact and everything that hangs on this fact.
 *
 * @returns undefined where another order has the reference; then nothing is written
 * @throws OfferChanged
 */
export async function recordOrder(
  tx: Transaction,
  values: NewOrder,
  created: NewFact & { chain?: never },
  { keyId, offer }: Placing = { keyId: null },
): Promise<OrderRow | undefined> {
  if (offer) await requireOffer(tx, values.serviceId, offer);
  const [row] = await tx
    .insert(order)
    .values({ ...values, status: "created" })
    .onConflictDoNothing({ target: order.reference })
    .returning();
  if (!row) return undefined;
  if (keyId !== null) {
    const { id: orderId, token, amount } = row;
    await tx.insert(keySpending).values({ keyId, orderId, token, amount, givenBack: 0n, isPlaced: true });
  }
  await recordFacts(tx, row, [created], { before: [] });
  return row;
}

/** Neither the agent nor the service is changed until this transaction ends. As everywhere, the agent is locked first. */
async function requireOffer(
  tx: Transaction,
  serviceId: string,
  offer: { service: number; agent: number },
): Promise<void> {
  const [found] = await tx
    .select({ id: service.id })
    .from(agent)
    .innerJoin(service, eq(service.agentId, agent.id))
    .where(and(eq(service.id, serviceId), eq(service.version, offer.service), eq(agent.version, offer.agent)))
    .for("share");
  if (!found) throw new OfferChanged();
}
