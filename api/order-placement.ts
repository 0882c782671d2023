import { randomBytes } from "node:crypto";
import { z } from "@hono/zod-openapi";
import { eq, inArray } from "drizzle-orm";
import { typeid } from "typeid-js";
import { type Address, getAddress, isAddressEqual, zeroAddress } from "viem";
import type { Chain } from "../config.ts";
import type { Transaction } from "../db/client.ts";
import { type OrderRow, recordFacts } from "../db/ledger.ts";
import { agent, order, service, wallet } from "../db/schema.ts";
import { createAgreement } from "../settlement/agreement.ts";
import { formatAmount } from "../settlement/money.ts";
import { checkPayload } from "../settlement/payloads.ts";
import { depositAddressOf, digestOf, escrowIdOf } from "../settlement/terms.ts";
import type { Caller } from "./access.ts";
import type { Context } from "./context.ts";
import { ApiError, refuseField } from "./errors.ts";
import { addressField, nullableJsonObjectField } from "./fields.ts";
import { readMethods } from "./payment.ts";
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

type ServiceRow = typeof service.$inferSelect;
type AgentRow = typeof agent.$inferSelect;

/** What `amount` holds in the escrow's terms. */
const largestAmount = 2n ** 128n - 1n;

/**
 * Places an order: freezes what is agreed, computes the escrow that would pay for it, and writes the first fact. No
 * money moves.
 *
 * @throws ApiError saying which rule the order breaks; nothing is written then
 */
export async function placeOrder(
  context: Context,
  caller: Caller,
  request: z.output<typeof orderRequest>,
): Promise<OrderRow> {
  const { db, config } = context;
  const chain = config.defaultChain;
  if (!chain)
    throw new ApiError("dependency_unavailable", "No chain is configured here, so nothing can be ordered.");
  const settlementRail = request.settlement_rail ?? "escrow";
  if (settlementRail === "x402" && (await readMethods(context, chain.chain_id)).length === 0) {
    throw refuseField(
      "settlement_rail",
      "rail",
      `${chain.token.symbol} on ${chain.network_name} cannot be paid by signature; use escrow.`,
    );
  }

  const [offer] = await db
    .select({ service, agent })
    .from(service)
    .innerJoin(agent, eq(agent.id, service.agentId))
    .where(eq(service.id, request.service_id));
  const { service: offered, agent: seller } = checkOffer(offer, caller);
  const quantity = request.quantity ?? offered.minQuantity;
  const amount = priceOf(offered, quantity);
  if (settlementRail === "x402") {
    const refusal = refuseFreeRelay(context, { chainId: chain.chain_id, amount });
    if (refusal) throw refuseField("settlement_rail", "minimum", `${refusal} Use the rail escrow.`);
  }
  const parties = await findParties();

  const violations = offered.inputSchema
    ? checkPayload(offered.inputSchema, request.input_payload ?? null)
    : [];
  if (violations.length > 0) {
    throw new ApiError(
      "input_schema_violation",
      "The input_payload does not satisfy the service's input_schema.",
      violations,
    );
  }

  const placedAt = new Date();
  const id = typeid("ord").toString();
  const agreed = {
    quantity,
    unitPrice: offered.price,
    amount,
    inputPayload: request.input_payload ?? null,
    inputSchema: offered.inputSchema,
    outputSchema: offered.outputSchema,
    chainId: chain.chain_id,
    escrowContract: chain.escrow_contract,
    fundBy: Math.floor(placedAt.getTime() / 1000) + config.windows.fundingSeconds,
    deliveryWindow: offered.deliveryTimeHours * 3600,
    acceptanceWindow: offered.acceptanceHours * 3600,
    disputeWindow: config.windows.disputeSeconds,
    appealWindow: config.windows.appealSeconds,
  };
  const agreement = createAgreement({
    ...agreed,
    ...parties,
    orderId: id,
    agent: seller,
    service: offered,
    token: chain.token,
  });
  const orderHash = digestOf(agreement);
  const escrowId = escrowIdOf(chain.chain_id, chain.escrow_contract, {
    ...agreed,
    ...parties,
    token: chain.token.address,
    orderHash,
  });

  return db.transaction(async (tx) => {
    const row = await insertOrder(tx, {
      id,
      buyerAccountId: caller.accountId,
      providerAccountId: seller.accountId,
      agentId: seller.id,
      serviceId: offered.id,
      settlementRail,
      ...agreed,
      agreement,
      buyerAddress: parties.buyer,
      providerAddress: parties.provider,
      arbiter: parties.arbiter,
      token: chain.token.address,
      tokenSymbol: chain.token.symbol,
      tokenDecimals: chain.token.decimals,
      orderHash,
      escrowId,
      depositAddress: depositAddressOf(chain.escrow_contract, chain.deposit_implementation, escrowId),
      status: "created",
      createdAt: placedAt,
    });
    // Nobody else can see the row before this transaction ends, so it needs no lock.
    await recordFacts(tx, row, [
      {
        type: "order.created",
        actor: "buyer",
        key: `${id}:created`,
        occurredAt: placedAt,
        data: {
          amount: formatAmount(amount, chain.token.decimals),
          amount_base_units: amount.toString(),
          currency: chain.token.symbol,
          settlement_rail: row.settlementRail,
          funding_deadline: new Date(row.fundBy * 1000).toISOString(),
          order_hash: orderHash,
        },
      },
    ]);
    return row;
  });

  /** The three addresses of the terms; whoever decides a dispute must be neither party, under no address of theirs. */
  async function findParties(): Promise<{ buyer: Address; provider: Address; arbiter: Address }> {
    const provider = payoutWalletOf(seller);
    const buyer = request.buyer_address ?? caller.primaryAddress;
    const arbiter = request.arbiter ?? (chain as Chain).arbiter ?? zeroAddress;
    const owners = await db
      .select({ address: wallet.address, accountId: wallet.accountId })
      .from(wallet)
      .where(inArray(wallet.address, [buyer, arbiter]));
    const ownerOf = (of: Address) => owners.find((owner) => isAddressEqual(owner.address, of))?.accountId;
    if (ownerOf(buyer) !== caller.accountId) {
      throw refuseField(
        "buyer_address",
        "wallet",
        "This is no verified wallet of yours: sign in with it first.",
      );
    }
    if (isAddressEqual(buyer, provider)) {
      throw new ApiError("conflict", "The buyer's wallet is the provider's payout wallet; they must differ.");
    }
    const arbitersAccount = ownerOf(arbiter);
    if (
      isAddressEqual(arbiter, provider) ||
      arbitersAccount === caller.accountId ||
      arbitersAccount === seller.accountId
    ) {
      throw request.arbiter
        ? refuseField("arbiter", "party", "The arbiter must be no party of the order: name somebody else.")
        : new ApiError("conflict", "This chain's arbiter is a party of this order: name another `arbiter`.");
    }
    return { buyer, provider, arbiter };
  }
}

function checkOffer(offer: { service: ServiceRow; agent: AgentRow } | undefined, caller: Caller) {
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
  if (offer.agent.accountId === caller.accountId) {
    throw new ApiError("conflict", "This service is your own agent's; it cannot be ordered by its owner.");
  }
  return offer;
}

function payoutWalletOf(seller: AgentRow): Address {
  if (!seller.payoutWallet) {
    throw new ApiError("invalid_state", "This agent has no payout wallet at the moment and takes no orders.");
  }
  return getAddress(seller.payoutWallet);
}

/** Base units for a quantity of a service. */
function priceOf(offered: ServiceRow, quantity: number): bigint {
  if (offered.pricingModel === "negotiated") {
    throw new ApiError("invalid_state", "This service's price is negotiated: it cannot be ordered directly.");
  }
  if (offered.pricingModel === "subscription") {
    throw new ApiError(
      "invalid_state",
      "This service is sold by subscription: it cannot be ordered directly.",
    );
  }
  const most = offered.maxQuantity ?? (offered.pricingModel === "fixed" ? 1 : null);
  if (quantity < offered.minQuantity || (most !== null && quantity > most)) {
    const allowed =
      most === null ? `at least ${offered.minQuantity}` : `from ${offered.minQuantity} to ${most}`;
    throw refuseField("quantity", "range", `This service is sold in quantities ${allowed}.`);
  }
  const amount = offered.price * BigInt(quantity);
  if (amount === 0n)
    throw new ApiError("invalid_state", "This service has no price, so no escrow can pay for it.");
  if (amount > largestAmount)
    throw refuseField("quantity", "maximum", "The amount is more than an escrow can hold.");
  return amount;
}

async function insertOrder(
  tx: Transaction,
  values: Omit<typeof order.$inferInsert, "reference">,
): Promise<OrderRow> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const [row] = await tx
      .insert(order)
      .values({ ...values, reference: createReference() })
      .onConflictDoNothing({ target: order.reference })
      .returning();
    if (row) return row;
  }
  throw new Error("No free order reference was found in five tries.");
}

/** Six of Crockford's characters, which have no I, L, O or U to mistake. */
function createReference(): string {
  const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
  return `E-${Array.from(randomBytes(6), (byte) => alphabet[byte % 32]).join("")}`;
}
