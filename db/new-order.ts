import { and, eq, getTableColumns, sql } from "drizzle-orm";
import type { OrderState } from "../protocol/facts/fact.ts";
import { placeholdersOf, prepareOnce, type Transaction } from "./client.ts";
import { type NewFact, recordFacts } from "./ledger.ts";
import type { OrderRow } from "./order-rows.ts";
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
  const [written] = await insertOrder(tx).execute(values);
  if (!written) return undefined;
  const row: OrderRow = { ...values, ...unset, ...written };
  if (keyId !== null) {
    const { id: orderId, token, amount } = row;
    await tx.insert(keySpending).values({ keyId, orderId, token, amount, refunded: 0n, isPlaced: true });
  }
  await recordFacts(tx, row, [created], { before: [] });
  return row;
}

/** An order before anything but its first fact. */
const unset = {
  outputPayload: null,
  status: "created",
  fundedAt: null,
  startedAt: null,
  deliveredAt: null,
  deliveryDeadline: null,
  acceptanceEndsAt: null,
  autoReleaseAt: null,
  releaseDueAt: null,
  disputedAt: null,
  completedAt: null,
  approvalStatus: null,
  approvalRequestedAt: null,
  approvalDecidedAt: null,
  approvalDecidedBy: null,
} satisfies Omit<OrderRow, keyof NewOrder>;

const insertOrder = prepareOnce("insert_order", (db) =>
  db
    .insert(order)
    .values({ ...placeholdersOf(getTableColumns(order)), ...unset })
    .onConflictDoNothing({ target: order.reference })
    // The database writes these in a form of its own. The documents that it would give back are long.
    .returning({
      inputPayload: order.inputPayload,
      escrowContract: order.escrowContract,
      buyerAddress: order.buyerAddress,
      providerAddress: order.providerAddress,
      token: order.token,
      arbiter: order.arbiter,
      depositAddress: order.depositAddress,
    }),
);

/** Neither the agent nor the service is changed until this transaction ends. As everywhere, the agent is locked first. */
async function requireOffer(
  tx: Transaction,
  serviceId: string,
  offer: { service: number; agent: number },
): Promise<void> {
  const [found] = await findOffer(tx).execute({ serviceId, ...offer });
  if (!found) throw new OfferChanged();
}

const findOffer = prepareOnce("find_offer", (db) =>
  db
    .select({ id: service.id })
    .from(agent)
    .innerJoin(service, eq(service.agentId, agent.id))
    .where(
      and(
        eq(service.id, sql.placeholder("serviceId")),
        eq(service.version, sql.placeholder("service")),
        eq(agent.version, sql.placeholder("agent")),
      ),
    )
    .for("share"),
);
