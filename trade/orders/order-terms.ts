import type { Address } from "viem";
import type { JsonObject, OrderedStage } from "../../db/schema.ts";
import type { AgreedDigests } from "../../protocol/settlement/agreement.ts";
import { digestOrNull } from "../../protocol/settlement/digest.ts";
import { largestAmount } from "../../protocol/settlement/terms.ts";
import type { Rail } from "../../protocol/settlement/vocabulary.ts";
import type { TaskCause } from "../../untrusted/schemas/checker.ts";
import type { Context, Spender } from "../context.ts";
import { readMethods } from "../payment-methods.ts";
import { Refusal, refuseField } from "../refusal.ts";
import { whyNotRelayed } from "../relay/party-relay.ts";
import { causeOf, checksOf } from "../schema-checks.ts";
import {
  chooseToken,
  type PaymentToken,
  requireAmountIn,
  type TokenName,
  tokenNameOf,
} from "../services/payment-token.ts";
import type { ServiceWithAgent } from "../services/service-on-sale.ts";

/** The buyer's account with its default wallet. */
export type Buyer = Spender & { primaryAddress: Address };

/** A buyer's request for an order. Members have the API's names, because refusals name them. */
export type OrderRequest = {
  input_payload?: JsonObject | null | undefined;
  /** `escrow` by default */
  settlement_rail?: Rail | undefined;
  /** a token that the service accepts; its first one by default */
  pay_with?: TokenName | undefined;
  /** a wallet of the buyer's account; the primary one by default */
  buyer_address?: Address | undefined;
  /** the chain's arbiter by default */
  arbiter?: Address | undefined;
};

/** The price and the delivery time of an order. */
export type OrderPrice = {
  quantity: number;
  /** of one unit, with the decimals of the default token */
  price: bigint;
  deliveryTimeHours: number;
  /** of which the price and the delivery time are the sums */
  stages?: OrderedStage[] | null;
};

/** The agreed terms of an order. Everything except the parties is checked. */
export type AgreedTerms = ServiceWithAgent &
  OrderPrice & {
    buyerAccountId: string;
    /** the key whose limits the order counts against; null for a session */
    keyId: string | null;
    buyer: Address;
    /** the chain's arbiter by default */
    arbiter: Address | undefined;
    /** the token that the order is paid in */
    paidIn: PaymentToken;
    inputPayload: JsonObject | null;
    /** of both schemas and the input */
    digests: AgreedDigests;
    settlementRail: Rail;
    /** the quote or the subscription's period that the order comes from, for the data of `order.created` */
    origin?: { quote_id: string } | { subscription_id: string; period: number };
    /** a fixed id, so that a repeated request cannot write a second order */
    orderId?: string | undefined;
  };

/** The dependencies for placing orders. */
export type PlacingContext = Pick<Context, "config" | "db" | "checker" | "chain">;

/**
 * Checks the rail, the amount and the input of an order. The input's check may be slow, so the caller must hold no
 * lock.
 *
 * @param price the price, which the caller has checked
 * @throws Refusal that names the broken rule
 */
export async function checkOrderTerms(
  context: PlacingContext,
  buyer: Buyer,
  found: ServiceWithAgent,
  price: OrderPrice,
  request: OrderRequest,
): Promise<AgreedTerms> {
  return {
    ...(await checkTermsWithoutBuyer(context, causeOf(context, buyer.accountId), found, price, request)),
    buyerAccountId: buyer.accountId,
    keyId: buyer.keyId,
    buyer: request.buyer_address ?? buyer.primaryAddress,
    arbiter: request.arbiter,
  };
}

/** The terms of an order without its buyer. */
export type TermsWithoutBuyer = Omit<
  AgreedTerms,
  "buyerAccountId" | "keyId" | "buyer" | "arbiter" | "origin" | "orderId"
>;

/** The account whose time allowance the input's check uses. */
export type CheckedFor = Omit<TaskCause, "service">;

/** Checks the terms of an order for any buyer. */
export async function checkTermsWithoutBuyer(
  context: PlacingContext,
  checkedFor: CheckedFor,
  found: ServiceWithAgent,
  price: OrderPrice,
  request: Pick<OrderRequest, "input_payload" | "settlement_rail" | "pay_with">,
): Promise<TermsWithoutBuyer> {
  const paidIn = chooseToken(context.config, found.service, request.pay_with);
  const { chain, token } = paidIn;
  const settlementRail = request.settlement_rail ?? "escrow";
  if (settlementRail === "x402" && (await readMethods(context, tokenNameOf(paidIn))).length === 0) {
    throw refuseField(
      "settlement_rail",
      "rail",
      `${token.symbol} on ${chain.network_name} cannot be paid by signature; use escrow.`,
    );
  }
  const amount = requireAmountIn(context.config, price.price, paidIn) * BigInt(price.quantity);
  if (amount === 0n)
    throw new Refusal("invalid_state", "This service's price is zero, and an escrow cannot hold zero.");
  if (amount > largestAmount)
    throw refuseField(
      "quantity",
      "maximum",
      "Field quantity: the amount exceeds what an escrow can hold. Use a smaller quantity.",
    );
  if (settlementRail === "x402") {
    const refusal = whyNotRelayed(context, {
      chainId: chain.chain_id,
      tokenSymbol: token.symbol,
      tokenDecimals: token.decimals,
      amount,
    });
    if (refusal) throw refuseField("settlement_rail", "minimum", `${refusal} Use the rail escrow.`);
  }
  const inputPayload = request.input_payload ?? null;
  return {
    ...found,
    ...price,
    paidIn,
    inputPayload,
    digests: await checkInput(context, checkedFor, found, inputPayload),
    settlementRail,
  };
}

/** Inputs of at most so many JSON characters are digested in the main thread, which is faster than waking a thread. */
const smallInput = 4096;

/** Whether the checker's threads check or digest an input: the service has a schema, or the input is large. */
function needsChecker(
  { service: { inputSchema, outputSchema } }: Pick<ServiceWithAgent, "service">,
  { input_payload = null }: Pick<OrderRequest, "input_payload">,
): boolean {
  return inputSchema !== null || outputSchema !== null || JSON.stringify(input_payload).length > smallInput;
}

/**
 * Validates an input against its service's schema.
 *
 * @returns the digests of both schemas and the input
 * @throws Refusal `input_schema_violation`; `rate_limited` or `checker_busy` if it cannot be checked now
 */
export async function checkInput(
  { checker }: Pick<Context, "checker">,
  checkedFor: CheckedFor,
  found: Pick<ServiceWithAgent, "service">,
  inputPayload: JsonObject | null,
): Promise<AgreedDigests> {
  const { id, inputSchema, outputSchema } = found.service;
  if (!needsChecker(found, { input_payload: inputPayload })) {
    return { inputSchema: null, outputSchema: null, input: digestOrNull(inputPayload) };
  }
  const { violations, digests } = await checksOf(checker).run({ ...checkedFor, service: id }, "placement", {
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
