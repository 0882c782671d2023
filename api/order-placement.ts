import { z } from "@hono/zod-openapi";
import { and, eq, getTableColumns, sql } from "drizzle-orm";
import { type Address, getAddress, isAddressEqual, zeroAddress } from "viem";
import type { Chain } from "../config.ts";
import { type Database, prepareOnce, type Transaction } from "../db/client.ts";
import type { OrderRow } from "../db/ledger.ts";
import { type AgentRow, type Deal, insertOrder, type ServiceRow } from "../db/placement.ts";
import { agent, order, organisationMember, service, wallet } from "../db/schema.ts";
import { checkPayload } from "../settlement/payloads.ts";
import type { Caller } from "./access.ts";
import type { Context } from "./context.ts";
import { ApiError, refuseField } from "./errors.ts";
import { addressField, nullableJsonObjectField } from "./fields.ts";
import { readMethods } from "./payment.ts";
import { checkQuantity, requireDirectOrders } from "./pricing.ts";
import { refuseFreeRelay } from "./relay.ts";

export const orderRequest = z
  .strictObject({
    service_id: z.string(),
    quantity: z
      .int()
      .min(1)
      .max(2 ** 31 - 1)
      .optional()
      .openapi({ description: "the service's smallest unless given" }),
    input_payload: nullableJsonObjectField.optional(),
    settlement_rail: z.enum(["escrow", "x402"]).optional().openapi({ default: "escrow" }),
    buyer_address: addressField.optional().openapi({
      description: "a verified wallet of yours, where refunds go; your primary one unless given",
    }),
    arbiter: addressField.optional().openapi({
      description:
        "who decides a dispute, no party of the order; this chain's arbiter unless given. The zero address: nobody, only time",
    }),
  })
  .openapi("OrderRequest");

/** What `amount` holds in the escrow's terms. */
const largestAmount = 2n ** 128n - 1n;

/**
 * Places an order for a service at its own price.
 *
 * @param effectId of a request with an `Idempotency-Key`: an order that an earlier try has placed is given back
 * @throws ApiError saying which rule the order breaks; nothing is written then
 */
export async function placeOrder(
  context: Context,
  caller: Caller,
  request: z.output<typeof orderRequest>,
  effectId: string | undefined,
): Promise<OrderRow> {
  const orderId = effectId && `ord_${effectId}`;
  const placed = orderId && (await readPlaced(context.db, caller, orderId));
  if (placed) return placed;
  const offer = await readOfferTo(context, caller, request.service_id, request);
  requireOnSale(offer, caller);
  requireDirectOrders(offer.service.pricingModel);
  const quantity = request.quantity ?? offer.service.minQuantity;
  checkQuantity(offer.service, quantity);
  const price = {
    quantity,
    unitPrice: offer.service.price,
    deliveryTimeHours: offer.service.deliveryTimeHours,
  };
  const deal = { ...(await checkDeal(context, caller, offer, price, request)), orderId };
  return context.db.transaction((tx) => insertOrder(tx, venueOf(context), context.config.windows, deal));
}

async function readPlaced(db: Database, caller: Caller, orderId: string): Promise<OrderRow | undefined> {
  const own = and(eq(order.id, orderId), eq(order.buyerAccountId, caller.accountId));
  const [row] = await db.select().from(order).where(own);
  return row;
}

/** What a buyer says of an order, whatever it buys. */
type Wishes = Omit<z.output<typeof orderRequest>, "service_id" | "quantity">;

export type Offer = { service: ServiceRow; agent: AgentRow };

/**
 * Checks everything that an order has to satisfy but the service's own price list: rail, amount, parties and input.
 *
 * @param price base units of the token; whoever calls has found that the service is sold so
 * @throws ApiError saying which rule the order breaks
 */
export async function checkDeal(
  context: Context,
  caller: Caller,
  offer: OfferTo,
  price: Pick<Deal, "quantity" | "unitPrice" | "deliveryTimeHours">,
  wishes: Wishes,
): Promise<Deal> {
  const { service: offered, agent: seller } = offer;
  const chain = venueOf(context);
  const settlementRail = wishes.settlement_rail ?? "escrow";
  if (settlementRail === "x402" && (await readMethods(context, chain.chain_id)).length === 0) {
    throw refuseField(
      "settlement_rail",
      "rail",
      `${chain.token.symbol} on ${chain.network_name} cannot be paid by signature; use escrow.`,
    );
  }
  const amount = price.unitPrice * BigInt(price.quantity);
  if (amount === 0n)
    throw new ApiError("invalid_state", "This service has no price, so no escrow can pay for it.");
  if (amount > largestAmount)
    throw refuseField("quantity", "maximum", "The amount is more than an escrow can hold.");
  if (settlementRail === "x402") {
    const refusal = refuseFreeRelay(context, { chainId: chain.chain_id, amount });
    if (refusal) throw refuseField("settlement_rail", "minimum", `${refusal} Use the rail escrow.`);
  }
  const parties = findParties(context, caller, offer, wishes);
  const inputPayload = wishes.input_payload ?? null;
  const violations = offered.inputSchema ? checkPayload(offered.inputSchema, inputPayload) : [];
  if (violations.length > 0) {
    throw new ApiError(
      "input_schema_violation",
      "The input_payload does not satisfy the service's input_schema.",
      violations,
    );
  }
  return {
    buyerAccountId: caller.accountId,
    ...parties,
    seller,
    offered,
    ...price,
    inputPayload,
    settlementRail,
  };
}

/** The chain that orders settle on. */
export function venueOf({ config }: Context): Chain {
  if (config.defaultChain) return config.defaultChain;
  throw new ApiError("dependency_unavailable", "No chain is configured here, so nothing can be ordered.");
}

/** A service with its agent, whatever their states; undefined where there is none. */
export async function readOffer(db: Database | Transaction, serviceId: string): Promise<Offer | undefined> {
  const [offer] = await db
    .select({ service, agent })
    .from(service)
    .innerJoin(agent, eq(agent.id, service.agentId))
    .where(eq(service.id, serviceId));
  return offer;
}

/** An offer with what the database knows of a buyer's wishes. */
export type OfferTo = Offer & {
  /** whether the buyer's address is a verified wallet of the caller's */
  ownsBuyer: boolean;
  /** whether whoever decides disputes is a party's account, or a member of one */
  arbiterIsParty: boolean;
};

/** The same for one who would order it, with all that has to be read for that. */
export async function readOfferTo(
  context: Context,
  caller: Caller,
  serviceId: string,
  wishes: Pick<Wishes, "buyer_address" | "arbiter">,
): Promise<OfferTo | undefined> {
  const { buyer, arbiter } = chooseAddresses(context, caller, wishes);
  const [offer] = await findOffer(context.db).execute({
    serviceId,
    callerId: caller.accountId,
    buyer: buyer.toLowerCase(),
    arbiter: arbiter.toLowerCase(),
  });
  return offer;
}

const findOffer = prepareOnce((db) => {
  const { search: _, ...serviceColumns } = getTableColumns(service);
  const { search: __, ...agentColumns } = getTableColumns(agent);
  const callerId = sql.placeholder("callerId");
  const ownsBuyer = sql<boolean>`exists (
    select from ${wallet} as owned
    where owned.address = ${sql.placeholder("buyer")} and owned.account_id = ${callerId})`;
  const arbiterIsParty = sql<boolean>`exists (
    select from ${wallet} as held
    left join ${organisationMember} as member on member.member_account_id = held.account_id
    where held.address = ${sql.placeholder("arbiter")}
      and (held.account_id in (${callerId}, ${agent.accountId})
        or member.account_id in (${callerId}, ${agent.accountId})))`;
  return db
    .select({ service: serviceColumns, agent: agentColumns, ownsBuyer, arbiterIsParty })
    .from(service)
    .innerJoin(agent, eq(agent.id, service.agentId))
    .where(eq(service.id, sql.placeholder("serviceId")))
    .prepare("find_offer");
});

function chooseAddresses(
  context: Context,
  caller: Caller,
  wishes: Pick<Wishes, "buyer_address" | "arbiter">,
): { buyer: Address; arbiter: Address } {
  return {
    buyer: wishes.buyer_address ?? caller.primaryAddress,
    arbiter: wishes.arbiter ?? venueOf(context).arbiter ?? zeroAddress,
  };
}

/** The three addresses of the terms; whoever decides a dispute must be neither party, under no address of theirs. */
function findParties(
  context: Context,
  caller: Caller,
  { agent: seller, ownsBuyer, arbiterIsParty }: OfferTo,
  wishes: Pick<Wishes, "buyer_address" | "arbiter">,
): { buyer: Address; provider: Address; arbiter: Address } {
  const provider = payoutWalletOf(seller);
  const { buyer, arbiter } = chooseAddresses(context, caller, wishes);
  if (!ownsBuyer) {
    throw refuseField(
      "buyer_address",
      "wallet",
      "This is no verified wallet of yours: sign in with it first.",
    );
  }
  if (isAddressEqual(buyer, provider)) {
    throw new ApiError("conflict", "The buyer's wallet is the provider's payout wallet; they must differ.");
  }
  if (arbiterIsParty || isAddressEqual(arbiter, provider)) {
    throw wishes.arbiter
      ? refuseField("arbiter", "party", "The arbiter must be no party of the order: name somebody else.")
      : new ApiError("conflict", "This chain's arbiter is a party of this order: name another `arbiter`.");
  }
  return { buyer, provider, arbiter };
}

/**
 * Lets through what is on offer to this caller now.
 *
 * @throws ApiError `not_found`, `invalid_state` for what is paused, `conflict` for the caller's own
 */
export function requireOnSale<Some extends Offer>(
  offer: Some | undefined,
  caller: Caller,
): asserts offer is Some {
  const statuses = offer && [offer.service.status, offer.agent.status];
  if (!offer || statuses?.some((status) => status === "draft" || status === "retired")) {
    throw new ApiError("not_found", "There is no published service with this id.");
  }
  if (statuses?.includes("paused")) {
    throw new ApiError(
      "invalid_state",
      "This service takes no orders at the moment: it, or its agent, is paused.",
    );
  }
  if (!offer.service.available) {
    throw new ApiError("invalid_state", "This service takes no new orders at the moment.");
  }
  if (offer.agent.accountId === caller.accountId) {
    throw new ApiError("conflict", "This service is your own agent's; it cannot be ordered by its owner.");
  }
}

function payoutWalletOf(seller: AgentRow): Address {
  if (!seller.payoutWallet) {
    throw new ApiError("invalid_state", "This agent has no payout wallet at the moment and takes no orders.");
  }
  return getAddress(seller.payoutWallet);
}
