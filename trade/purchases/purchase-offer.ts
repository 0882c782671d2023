import { typeid } from "typeid-js";
import { type Address, isAddressEqual, zeroAddress } from "viem";
import { readNow } from "../../db/chain-index.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { readOwner } from "../../db/wallets.ts";
import type { PaymentRequirements } from "../../protocol/settlement/x402.ts";
import type { Context } from "../context.ts";
import { refuseReferences } from "../files/file-reference.ts";
import { chainUnreachable, isNodeUnreachable } from "../node-breaker.ts";
import { type Draft, draftOrder } from "../orders/order-draft.ts";
import {
  type CheckedFor,
  checkTermsWithoutBuyer,
  type OrderRequest,
  type TermsWithoutBuyer,
} from "../orders/order-terms.ts";
import { checkParties } from "../orders/parties.ts";
import { readFundBy } from "../orders/placement.ts";
import { readMethodsShortly } from "../payment-methods.ts";
import { readRequirements } from "../payments/payment-requirements.ts";
import { Refusal, refuseField } from "../refusal.ts";
import { whyNotRelayed } from "../relay/party-relay.ts";
import { unitsWithin } from "../services/max-amount-units.ts";
import {
  acceptedTokens,
  chooseToken,
  type PaymentToken,
  requireAmountIn,
  tokenNameOf,
} from "../services/payment-token.ts";
import { chooseQuantity, requireDirectOrders } from "../services/pricing.ts";
import { requireOnSale, type ServiceWithAgent } from "../services/service-on-sale.ts";
import { type SealedTerms, sealTerms } from "./sealed-terms.ts";

/** The purchase request of a caller without an account. Members have the API's names, because refusals name them. */
export type PurchaseRequest = Pick<OrderRequest, "input_payload" | "arbiter" | "pay_with"> & {
  /** the service's minimum by default */
  quantity?: number | undefined;
  /** of a metered service, in place of the quantity: a decimal amount of the token that pays */
  max_amount?: string | undefined;
  /** the address that gets refunds and signs the release; it may differ from the payer's */
  buyer_address: Address;
};

/** A checked purchase request. */
export type CheckedPurchase = {
  /** paid in the first of the tokens */
  orderTerms: TermsWithoutBuyer;
  /** the tokens that can pay it, in the provider's order; at least one */
  tokens: PaymentToken[];
  /** the other accepted tokens, with the reasons */
  leftOut: LeftOut[];
  buyer: Address;
  arbiter: Address | undefined;
};

/** An accepted token that cannot pay at the moment. */
export type LeftOut = { token: PaymentToken; refusal: Refusal };

/** The draft of an order with its payment requirements. */
export type PurchaseOffer = { draft: Draft; requirements: PaymentRequirements[]; isOver: boolean };

/** The longest validity of offered terms, in seconds. */
const longestOffer = 3600;

/**
 * Checks all rules of an order except those about its payer. Writes nothing. The input's check may be slow.
 *
 * @param checkedFor the account whose time allowance the input's check uses
 * @throws Refusal that names the broken rule
 */
export async function checkPurchase(
  context: Context,
  checkedFor: CheckedFor,
  found: ServiceWithAgent | undefined,
  request: PurchaseRequest,
): Promise<CheckedPurchase> {
  requireOnSale(found, null);
  const { service } = found;
  const purchase = { buyer: request.buyer_address, arbiter: request.arbiter };
  const { tokens: payable, leftOut, ...price } = await checkPrice(context, found, request);
  const between = { ...purchase, serviceId: service.id, payer: null };
  const checks: Check[] = [];
  // One after another: a request without an account uses one connection to the database.
  for (const token of payable) {
    checks.push({
      token,
      refusal: await refusalOf(() => requirePurchaseParties(context.db, token, between)),
    });
  }
  refuseReferences(request.input_payload, "input_payload");
  const { tokens, leftOut: others } = selectTokens(checks);
  const pay_with = tokenNameOf(tokens[0]);
  return {
    orderTerms: await checkTermsWithoutBuyer(context, checkedFor, found, price, {
      ...request,
      pay_with,
      settlement_rail: "x402",
    }),
    tokens,
    leftOut: [...leftOut, ...others],
    ...purchase,
  };
}

/**
 * Checks that a service is sold without an account. Returns its price and the tokens that can pay it.
 *
 * @param request.pay_with all accepted tokens by default
 * @throws Refusal if the service is not sold without an account, or not in this quantity
 */
export async function checkPrice(
  context: Context,
  { service }: ServiceWithAgent,
  request: Pick<PurchaseRequest, "quantity" | "max_amount" | "pay_with">,
) {
  requireDirectOrders(service.pricingModel);
  const { pay_with } = request;
  const quantity = chooseQuantity(service, unitsWithin(context.config, service, request) ?? request.quantity);
  const first = chooseToken(context.config, service, pay_with);
  const named = pay_with ? [first] : acceptedTokens(context.config, service);
  const price = service.price * BigInt(quantity);
  const checks = await Promise.all(
    named.map(async (token) => ({
      token,
      refusal: await refusalOf(() => requirePayable(context, token, price)),
    })),
  );
  return {
    quantity,
    price: service.price,
    deliveryTimeHours: service.deliveryTimeHours,
    stages: service.stages,
    ...selectTokens(checks),
  };
}

/** A token with the reason why it cannot pay; null if it can. */
type Check = { token: PaymentToken; refusal: Refusal | null };

/** Selects the tokens that can pay. @throws the refusal of the first token if none can */
function selectTokens(checks: readonly Check[]): {
  tokens: [PaymentToken, ...PaymentToken[]];
  leftOut: LeftOut[];
} {
  const leftOut = checks.flatMap(({ token, refusal }) => (refusal ? [{ token, refusal }] : []));
  const [first, ...others] = checks.flatMap(({ token, refusal }) => (refusal ? [] : [token]));
  if (!first) throw leftOut[0]?.refusal;
  return { tokens: [first, ...others], leftOut };
}

/** Returns the refusal of a check, also for a node's failure; null if the check passes. @throws any other error */
async function refusalOf(check: () => Promise<unknown>): Promise<Refusal | null> {
  try {
    await check();
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error;
    if (isNodeUnreachable(error)) return chainUnreachable();
    throw error;
  }
}

/** @throws Refusal if a token cannot pay a price by signature; viem's error if the chain does not answer */
async function requirePayable(context: Context, paid: PaymentToken, price: bigint): Promise<void> {
  const { chain, token } = paid;
  // A chain that does not answer must neither hide nor delay the tokens of the others.
  const methods = await readMethodsShortly(context, tokenNameOf(paid));
  const amount = requireAmountIn(context.config, price, paid);
  const refusal =
    methods.length === 0
      ? `${token.symbol} on ${chain.network_name} takes no payments by signature.`
      : whyNotRelayed(context, {
          chainId: chain.chain_id,
          tokenSymbol: token.symbol,
          tokenDecimals: token.decimals,
          amount,
        });
  if (refusal) throw new Refusal("invalid_state", `${refusal} Sign in and order on the rail escrow.`);
}

/** The parties of a purchase. */
type Between = { serviceId: string; buyer: Address; arbiter: Address | undefined };

/**
 * Requires valid parties for an order of a payer without an account. Refunds may go to any wallet.
 *
 * @param between.payer the payer's account, if known; the owner of the buyer's address then also counts as a party
 * @throws Refusal; PartiesRefused
 */
export async function requirePurchaseParties(
  db: Database | Transaction,
  { chain, token }: PaymentToken,
  { payer, ...between }: Between & { payer: string | null },
) {
  if ([zeroAddress, token.address, chain.escrow_contract].some((one) => isAddressEqual(one, between.buyer))) {
    throw refuseField(
      "buyer_address",
      "address",
      "Field buyer_address: give the address of a wallet, because refunds go there.",
    );
  }
  const buyerOwnerId = payer && (await readOwner(db, { address: between.buyer, chainId: chain.chain_id }));
  const parties = await checkParties(db, chain, {
    ...between,
    buyerAccountId: payer,
    anyWallet: { buyerOwnerId },
  });
  return { parties, buyerOwnerId };
}

/**
 * Drafts the order of a purchase in one token, with the id and the deadline of its offered terms.
 *
 * @throws Refusal; PartiesRefused
 */
export async function draftPurchase(
  context: Pick<Context, "config">,
  db: Database | Transaction,
  { orderTerms, buyer, arbiter }: CheckedPurchase,
  { orderId, fundBy, paidIn, payer = null }: SealedTerms & { paidIn: PaymentToken; payer?: string | null },
) {
  const { parties, buyerOwnerId } = await requirePurchaseParties(db, paidIn, {
    buyer,
    arbiter,
    serviceId: orderTerms.service.id,
    payer,
  });
  const terms = { ...orderTerms, paidIn };
  return { draft: draftOrder(context.config, { id: orderId, fundBy, terms, parties }), buyerOwnerId };
}

/** Offers the terms of an order that is placed when it is paid: one draft for each token that can pay it. */
export async function offerTerms(
  context: Context,
  key: Uint8Array,
  purchase: CheckedPurchase,
): Promise<PurchaseOffer[]> {
  const { config, db } = context;
  const seconds = Math.min(config.windows.fundingSeconds, longestOffer);
  // The drafts have one id, so only one of them becomes an order.
  const orderId = typeid("ord").toString();
  const offers: PurchaseOffer[] = [];
  // One after another: a request without an account uses one connection to the database.
  for (const paidIn of purchase.tokens) {
    const fundBy = await readFundBy(db, paidIn, seconds);
    const { draft } = await draftPurchase(context, db, purchase, { orderId, fundBy, paidIn });
    offers.push(await readOffer(context, key, draft));
  }
  return offers;
}

/** Reads the payment requirements of a draft, with the seal of its terms. */
export async function readOffer(context: Context, key: Uint8Array, draft: Draft): Promise<PurchaseOffer> {
  const seal = sealTerms(key, { orderId: draft.id, fundBy: draft.fundBy }, draft.escrowId);
  const now = await readNow(context.db, draft.chainId);
  const requirements = await readRequirements(context, draft, now);
  return {
    draft,
    isOver: now >= BigInt(draft.fundBy),
    requirements: requirements.map((one) => ({ ...one, extra: { ...one.extra, terms: seal } })),
  };
}
