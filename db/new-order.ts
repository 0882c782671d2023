import type { OrderState } from "../protocol/facts/fact.ts";
import { placeholdersOf, prepareOnce, type Transaction } from "./client.ts";
import { and, eq, getTableColumns, sql } from "./drizzle.ts";
import { type NewFact, recordFacts } from "./ledger.ts";
import type { OrderRow } from "./order-rows.ts";
import { agent, keySpending, order, service } from "./schema.ts";

/** An order to be written, without the columns that are folded from its facts. */
export type NewOrder = Omit<OrderRow, "outputPayload" | keyof OrderState>;

/** Spending and preconditions of a new order. */
export type Placing = {
  /** the key whose limits the order counts against; null if a person orders */
  keyId: string | null;
  /** the versions of service and agent that the caller has read; a change since then refuses the order */
  offer?: { service: number; agent: number };
};

/** Thrown if the service or its agent changed since the caller read them. Nothing is written. */
export class OfferChanged extends Error {
  override name = "OfferChanged";
}

/**
 * Records an order with its first fact and the effects of this fact.
 *
 * @returns undefined if another order has the reference; nothing is written then
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
  const row: OrderRow = { ...values, ...initialState, ...written };
  if (keyId !== null) {
    const { id: orderId, chainId, token, amount } = row;
    await tx
      .insert(keySpending)
      .values({ keyId, orderId, chainId, token, amount, refunded: 0n, isPlaced: true });
  }
  await recordFacts(tx, row, [created], { before: [] });
  return row;
}

/** The folded columns of an order that has only its first fact. */
const initialState = {
  outputPayload: null,
  status: "created",
  fundedAt: null,
  startedAt: null,
  deliveredAt: null,
  deliveryDeadline: null,
  acceptanceEndsAt: null,
  autoReleaseAt: null,
  releaseDueAt: null,
  deliveredUnits: null,
  charge: null,
  deliveredStage: null,
  acceptedStages: null,
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
    .values({ ...placeholdersOf(getTableColumns(order)), ...initialState })
    .onConflictDoNothing({ target: order.reference })
    // The database normalises these columns. The other documents are long and stay as they are.
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

/** Locks the versions of agent and service until this transaction ends. Every transaction locks the agent first. */
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
