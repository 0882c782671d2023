import type { Address } from "viem";
import type { JsonObject } from "../../db/schema.ts";
import type { AgreedDigests } from "../../protocol/settlement/agreement.ts";
import { digestOrNull } from "../../protocol/settlement/digest.ts";
import { largestAmount } from "../../protocol/settlement/terms.ts";
import type { Rail } from "../../protocol/settlement/vocabulary.ts";
import type { Cause } from "../../untrusted/schemas/checker.ts";
import type { Context, Spender } from "../context.ts";
import { readMethods } from "../payment-methods.ts";
import { Refusal, refuseField } from "../refusal.ts";
import { refuseFreeRelay } from "../relay/party-relay.ts";
import { causeOf, checksOf } from "../schema-checks.ts";
import type { ServiceWithAgent } from "../services/sale.ts";
import { settlementChainOf } from "./settlement-chain.ts";

/** The buyer's account, with the wallet that pays by default. */
export type Buyer = Spender & { primaryAddress: Address };

/** A buyer's request of an order. Members have the API's names, because refusals name them. */
export type OrderRequest = {
  input_payload?: JsonObject | null | undefined;
  /** escrow unless given */
  settlement_rail?: Rail | undefined;
  /** a wallet of the buyer's account; the primary one unless given */
  buyer_address?: Address | undefined;
  /** the chain's unless given */
  arbiter?: Address | undefined;
};

/** The price and the delivery time of an order. */
export type OrderPrice = {
  quantity: number;
  /** base units of the token */
  unitPrice: bigint;
  deliveryTimeHours: number;
};

/** The terms that buyer and provider agreed on. All but the parties are checked. */
export type AgreedTerms = ServiceWithAgent &
  OrderPrice & {
    buyerAccountId: string;
    /** the key whose limits it counts against; null where a person orders */
    keyId: string | null;
    buyer: Address;
    /** the chain's unless given */
    arbiter: Address | undefined;
    inputPayload: JsonObject | null;
    /** of both schemas and the input */
    digests: AgreedDigests;
    settlementRail: Rail;
    /** what the order came of, told in its first step: a quote, or a subscription's period */
    origin?: { quote_id: string } | { subscription_id: string; period: number };
    /** the order's id where it is known already, so that the same order is never written twice */
    orderId?: string | undefined;
  };

/** The parts of the context for placing orders. The rail x402 also reads the chain. */
export type PlacingContext = Pick<Context, "config" | "db" | "checker" | "chain">;

/**
 * Checks what an order has to satisfy but its service's price list and the parties: rail, amount and input. The check of
 * the input takes long: never within a transaction that others wait for.
 *
 * @param price the caller has checked that the service is sold at this price
 * @throws Refusal saying which rule the order breaks
 */
export async function checkOrderTerms(
  context: PlacingContext,
  buyer: Buyer,
  found: ServiceWithAgent,
  price: OrderPrice,
  request: OrderRequest,
): Promise<AgreedTerms> {
  return {
    ...(await checkWork(context, causeOf(context, buyer.accountId), found, price, request)),
    buyerAccountId: buyer.accountId,
    keyId: buyer.keyId,
    buyer: request.buyer_address ?? buyer.primaryAddress,
    arbiter: request.arbiter,
  };
}

/** The work that is bought, without who buys it. */
export type Work = Omit<AgreedTerms, "buyerAccountId" | "keyId" | "buyer" | "arbiter" | "origin" | "orderId">;

/** The account that the time of an input's check counts against. */
export type Counted = Omit<Cause, "service">;

/** Checks the terms of an order for any buyer. */
export async function checkWork(
  context: PlacingContext,
  counted: Counted,
  found: ServiceWithAgent,
  price: OrderPrice,
  request: Pick<OrderRequest, "input_payload" | "settlement_rail">,
): Promise<Work> {
  const chain = settlementChainOf(context.config);
  const settlementRail = request.settlement_rail ?? "escrow";
  if (settlementRail === "x402" && (await readMethods(context, chain.chain_id)).length === 0) {
    throw refuseField(
      "settlement_rail",
      "rail",
      `${chain.token.symbol} on ${chain.network_name} cannot be paid by signature; use escrow.`,
    );
  }
  const amount = price.unitPrice * BigInt(price.quantity);
  if (amount === 0n)
    throw new Refusal("invalid_state", "This service has no price, so no escrow can pay for it.");
  if (amount > largestAmount)
    throw refuseField("quantity", "maximum", "The amount is more than an escrow can hold.");
  if (settlementRail === "x402") {
    const refusal = refuseFreeRelay(context, { chainId: chain.chain_id, amount });
    if (refusal) throw refuseField("settlement_rail", "minimum", `${refusal} Use the rail escrow.`);
  }
  const inputPayload = request.input_payload ?? null;
  return {
    ...found,
    ...price,
    inputPayload,
    digests: await checkInput(context, counted, found, inputPayload),
    settlementRail,
  };
}

/** Characters of JSON up to which an input is digested beside requests: that takes less than a thread's wake-up. */
const smallInput = 4096;

/** Whether an input is checked or digested in the checker's threads: there is a schema, or much of it. */
function needsChecker(
  { service: { inputSchema, outputSchema } }: Pick<ServiceWithAgent, "service">,
  { input_payload = null }: Pick<OrderRequest, "input_payload">,
): boolean {
  return inputSchema !== null || outputSchema !== null || JSON.stringify(input_payload).length > smallInput;
}

/**
 * Checks an input by its service's schema, in the checker's threads.
 *
 * @returns the digests of both schemas and the input
 * @throws Refusal `input_schema_violation`; `rate_limited` or `checker_busy` where it could not be checked now
 */
export async function checkInput(
  { checker }: Pick<Context, "checker">,
  counted: Counted,
  found: Pick<ServiceWithAgent, "service">,
  inputPayload: JsonObject | null,
): Promise<AgreedDigests> {
  const { id, inputSchema, outputSchema } = found.service;
  if (!needsChecker(found, { input_payload: inputPayload })) {
    return { inputSchema: null, outputSchema: null, input: digestOrNull(inputPayload) };
  }
  const { violations, digests } = await checksOf(checker).run({ ...counted, service: id }, "placement", {
    inputSchema,
    outputSchema,
    inputPayload,
  });
  if (violations.length === 0) return digests;
  throw new Refusal(
    "input_schema_violation",
    "The input_payload does not satisfy the service's input_schema.",
    violations,
  );
}
