import { alias } from "drizzle-orm/pg-core";
import type { OrderState } from "../protocol/facts/fact.ts";
import type { Party } from "../protocol/settlement/vocabulary.ts";
import { placeholdersOf, prepareOnce, type Transaction } from "./client.ts";
import { and, eq, getTableColumns, sql } from "./drizzle.ts";
import { type NewFact, recordFacts } from "./ledger.ts";
import type { OrderRow } from "./order-rows.ts";
import { account, agent, keySpending, order, service } from "./schema.ts";

/** An order to be written, without the columns that are folded from its facts. */
export type NewOrder = Omit<OrderRow, "outputPayload" | "erasedAt" | keyof OrderState>;

/** Spending and preconditions of a new order. */
export type Placing = {
  /** the key whose limits the order counts against; null if a person orders */
  keyId: string | null;
  /** the versions of service and agent that the caller has read; a change since then refuses the order */
  offer: { service: number; agent: number };
};

/** Thrown if the service or its agent changed since the caller read them. Nothing is written. */
export class OfferChanged extends Error {
  override name = "OfferChanged";
}

/** Thrown if an operator has banned the buyer's account. Nothing is written. */
export class BuyerBanned extends Error {
  override name = "BuyerBanned";
}

/** Thrown if the erasure of a party's account is requested. Nothing is written. */
export class PartyErasing extends Error {
  override name = "PartyErasing";
  readonly party: Party;

  constructor(party: Party) {
    super();
    this.party = party;
  }
}

/**
 * Records an order with its first fact and the effects of this fact. Every order passes here, so a suspension or a ban that
 * ends before this transaction does refuses it, and a later one waits.
 *
 * @returns undefined if another order has the reference; nothing is written then
 * @throws OfferChanged; BuyerBanned; PartyErasing
 */
export async function recordOrder(
  tx: Transaction,
  values: NewOrder,
  created: NewFact & { chain?: never },
  { keyId, offer }: Placing,
): Promise<OrderRow | undefined> {
  await requireOffer(tx, values, offer);
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
  erasedAt: null,
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

/** Locks agent, service, and the accounts of buyer and provider until this transaction ends. Every transaction locks the agent first. */
async function requireOffer(
  tx: Transaction,
  { serviceId, buyerAccountId }: NewOrder,
  offer: Placing["offer"],
): Promise<void> {
  const [found] = await findOffer(tx).execute({ serviceId, buyerAccountId, ...offer });
  if (!found) throw new OfferChanged();
  if (found.bannedAt) throw new BuyerBanned();
  if (found.buyerErasingAt) throw new PartyErasing("buyer");
  if (found.providerErasingAt) throw new PartyErasing("provider");
}

const seller = alias(account, "seller");
const findOffer = prepareOnce("find_offer", (db) =>
  db
    .select({
      bannedAt: account.bannedAt,
      buyerErasingAt: account.erasingAt,
      providerErasingAt: seller.erasingAt,
    })
    .from(agent)
    .innerJoin(service, eq(service.agentId, agent.id))
    .innerJoin(account, eq(account.id, sql.placeholder("buyerAccountId")))
    .innerJoin(seller, eq(seller.id, agent.accountId))
    .where(
      and(
        eq(service.id, sql.placeholder("serviceId")),
        eq(service.version, sql.placeholder("service")),
        eq(agent.version, sql.placeholder("agent")),
      ),
    )
    .for("share"),
);
