import type { Hex } from "viem";
import { purchaseNonceOf } from "../../../../protocol/settlement/index.ts";
import type { BaseClient } from "../base-client.ts";
import { ApiError } from "../core/errors.ts";
import { pause } from "../core/retry.ts";
import type {
  ListedService,
  OrderClaim,
  Purchase as Purchased,
  PurchaseRequest,
  Service,
} from "../generated/types.ts";
import { proveWallet } from "../sign-in.ts";
import {
  type AgreedOrder,
  compareKnown,
  compareRequest,
  type RequestedOrder,
  readAgreed,
} from "./agreement-check.ts";
import {
  type BuyOptions,
  issuerOfClient,
  openSigner,
  type ResumeOptions,
  readService,
  requireLimit,
} from "./buy.ts";
import { OrderEndedError, PaymentFailedError, UntrustedOrderError } from "./errors.ts";
import { hasEscrow } from "./escrow-on-chain.ts";
import { chooseTerms, isSuperseded, type OfferedTerms, requestTerms } from "./offered-terms.ts";
import { OrderWatch } from "./order-watch.ts";
import { nameOf } from "./place-once.ts";
import { endStatuses, Purchase } from "./purchase.ts";
import { chooseQuantity } from "./quantity.ts";
import { chooseToken, readHeld } from "./tokens.ts";
import type { Signer } from "./wallet.ts";
import { sendPayment, signTerms } from "./x402-payment.ts";

/** The options of a purchase without an account. `key` also names the purchase after a crash. */
export interface BuyWithoutAccountOptions extends Omit<BuyOptions, "rail"> {
  /** The host in the text of a sign-in, if the service is reached by another host. Default: the host of `baseUrl`. */
  host?: string;
}

export interface ResumeWithoutAccountOptions extends ResumeOptions {
  host?: string;
}

/** The most terms that a purchase signs. Each has the purchase's nonce, so the token accepts one of them. */
const maxTerms = 3;

type Wanted = { request: RequestedOrder; arbiter: string | undefined };

/**
 * Buys a service without an account: compares the offered terms with the request, pays them by one signature, and waits until
 * the order is funded. An equal call continues the purchase until its order has ended.
 *
 * @throws UntrustedOrderError with the first field that differs, before that is signed; PaymentFailedError
 */
export async function buyWithoutAccount(
  client: BaseClient,
  listed: Service | ListedService,
  input: Record<string, unknown> | null,
  options: BuyWithoutAccountOptions,
): Promise<Purchase> {
  const { signal, arbiter, key } = options;
  const [signer, held] = [openSigner(options), requireLimit(options)];
  const { service, payoutWallet } = await readService(client, listed, signal);
  const quantity = chooseQuantity(service, options);
  const asked = {
    input_payload: input,
    buyer_address: signer.address,
    ...(options.quantity === undefined ? {} : { quantity: options.quantity }),
    ...(arbiter === undefined ? {} : { arbiter }),
  };
  const body: PurchaseRequest = {
    ...asked,
    quantity,
    ...(held && { pay_with: chooseToken(service, held) }),
  };
  const wanted = { request: { service, payoutWallet, input, quantity }, arbiter };
  const named = key ?? nameOf(asked, held);
  for (let number = 1; ; number++) {
    const nonce = purchaseNonceOf(service.id, named, number);
    const bought = await pay(client, body, { signer, nonce, wanted, options });
    const purchase = await open(client, bought, options);
    const { unused, isEarlier } = bought;
    const [first] = unused;
    if (!first) return purchase;
    // The service says that this nonce has bought another order. Only the chain shows that it pays no second one.
    const on = await signer.on(first.agreed.chainId);
    for (const terms of on.node ? unused : []) {
      const isSpent = () => isSuperseded(terms, nonce, on);
      await requireShown(terms.agreed.orderId, "paid_for_another_order", isSpent, signal);
    }
    const isBought = !isEarlier || key !== undefined;
    if (isBought || !endStatuses.includes(purchase.order.status)) return purchase;
    if (!on.node)
      throw new OrderEndedError(purchase.orderId, purchase.order.status, "bought again without a key");
  }
}

/**
 * Continues a purchase by its claim, without paying.
 *
 * @throws UntrustedOrderError if the order is not of its agreement, or not of the wallet
 */
export async function resumeWithoutAccount(
  client: BaseClient,
  claim: OrderClaim,
  options: ResumeWithoutAccountOptions,
): Promise<Purchase> {
  const orderId = /\/orders\/(ord_\w+)$/.exec(claim.order_url)?.[1];
  if (orderId === undefined) throw new TypeError(`The claim has no order: ${claim.order_url}.`);
  const reader = client.with(claim.token);
  const order = await reader.orders.get(orderId, { signal: options.signal });
  const { payment } = await reader.orders.getPayment(orderId, { signal: options.signal });
  if (!payment) throw new UntrustedOrderError(orderId, "payment", "a payment", null);
  const signer = openSigner(options);
  const bought = await readEarlier(client, { order, payment, claim }, { signer, options });
  return await open(client, bought, options);
}

type Bought = {
  purchased: Purchased;
  agreed: AgreedOrder;
  decimals: number;
  signer: Signer;
  /** All terms that this call has signed and that are not the order's, if the order is not of the last terms. */
  unused: readonly OfferedTerms[];
  /** Whether the order is of no terms that this call has signed. */
  isEarlier: boolean;
  /** Sends the payment again; null if the terms that it pays are not known. */
  repay: (() => Promise<void>) | null;
};

type Paying = {
  signer: Signer;
  nonce: Hex;
  wanted: Wanted;
  options: BuyWithoutAccountOptions;
};

/** Pays for terms that are as wanted. Terms that expired or changed meanwhile are replaced, and signed by the same nonce. */
async function pay(client: BaseClient, body: PurchaseRequest, paying: Paying): Promise<Bought> {
  const { signer: wallet, nonce, wanted, options } = paying;
  const { signal, onProgress } = options;
  const { service } = wanted.request;
  const signed: OfferedTerms[] = [];
  for (let left = maxTerms - 1; ; left--) {
    const offered = await requestTerms(client, service, body, signal);
    const terms = await chooseTerms(offered, wallet, nonce, signed[0]);
    const { agreed, accepted } = terms;
    const signer = await wallet.on(agreed.chainId);
    const decimals = await compareAll(agreed, signer, options, wanted);
    await onProgress?.({ step: "offered", agreed });
    const payload = await signTerms(terms, signer, nonce);
    signed.push(terms);
    const send = () => sendPayment(client, service, body, { accepted, payload }, signal);
    try {
      const purchased = await send();
      if (purchased.order.id !== agreed.orderId) {
        const found = await readEarlier(client, purchased, { signer: wallet, options, wanted });
        // The service may have been paid by any of the signatures, also by one that it refused.
        const unused = signed.filter((one) => one.agreed.orderId !== purchased.order.id);
        return { ...found, unused, isEarlier: unused.length === signed.length };
      }
      await onProgress?.({ step: "signed", payment: purchased.payment, claim: purchased.claim });
      const repay = async () => void (await send().catch((error) => fail(agreed.orderId, error)));
      return { purchased, agreed, decimals, signer, unused: [], isEarlier: false, repay };
    } catch (error) {
      const isStale = error instanceof ApiError && /^terms_/.test(error.details[0]?.keyword ?? "");
      if (!isStale || left === 0) fail(agreed.orderId, error);
    }
  }
}

function fail(orderId: string, error: unknown): never {
  if (!(error instanceof ApiError && error.status === 402)) throw error;
  throw new PaymentFailedError(orderId, error.details[0]?.keyword ?? error.message);
}

/** Compares the agreement with the caller's facts, and with the wanted order if the caller has one. Returns the token's decimals. */
async function compareAll(
  agreed: AgreedOrder,
  { node, address }: Signer,
  { payWith, ...known }: ResumeWithoutAccountOptions,
  wanted: Wanted | undefined,
): Promise<number> {
  const tokens = readHeld(payWith);
  const decimals = await compareKnown(agreed, node, { ...known, ...(tokens && { tokens }), buyer: address });
  if (wanted) compareRequest(agreed, wanted.request, { decimals, arbiter: wanted.arbiter });
  return decimals;
}

/** Reads an order that an earlier signature bought, and compares it like new terms. */
async function readEarlier(
  client: BaseClient,
  purchased: Purchased,
  {
    signer: wallet,
    options,
    wanted,
  }: { signer: Signer; options: ResumeWithoutAccountOptions; wanted?: Wanted },
): Promise<Bought> {
  const { order, claim } = purchased;
  const agreement = await client.with(claim.token).orders.getAgreement(order.id, { signal: options.signal });
  const agreed = readAgreed(order.id, order, agreement);
  const signer = await wallet.on(agreed.chainId);
  const decimals = await compareAll(agreed, signer, options, wanted);
  return { purchased, agreed, decimals, signer, unused: [], isEarlier: true, repay: null };
}

/** Follows the order by its claim until it is funded. */
async function open(
  client: BaseClient,
  { purchased, agreed, decimals, signer, repay }: Bought,
  options: ResumeWithoutAccountOptions,
): Promise<Purchase> {
  const { order, payment, claim } = purchased;
  const { host = new URL(client.baseUrl).host, signal, onProgress } = options;
  readAgreed(order.id, order, agreed.agreement);
  const reader = client.with(claim.token);
  /** Signs in by the wallet that paid, because a claim only reads. */
  const acting = async () => {
    const [caller, { chainId }] = [client.with(undefined), agreed];
    const { address } = signer;
    const wallet = { address, signMessage: ({ message }: { message: string }) => signer.signText(message) };
    const proof = await proveWallet(caller, { wallet, chainId, host }, "sign_in");
    const { tokens } = await caller.auth.signIn(proof);
    return client.with(tokens.access_token);
  };
  const purchase = new Purchase({
    client: reader,
    acting,
    // A claim does not read the feed.
    watch: new OrderWatch(null),
    signer,
    agreed,
    decimals,
    order,
    claim,
    issuer: issuerOfClient(client, options),
    signal,
    onProgress,
  });
  await purchase.fund(
    repay ??
      (() => {
        throw new PaymentFailedError(order.id, payment.error ?? "transaction_failed");
      }),
    { isPaid: true },
  );
  if (signer.node) {
    await requireShown(order.id, "no_escrow_on_chain", () => hasEscrow(agreed, signer), signal);
  }
  return purchase;
}

/** Milliseconds between two reads of a node that may be behind the service's, and their number. */
const [nodePoll, nodeReads] = [1_000, 15];

/** Reads the chain until it shows what the service has shown. @throws PaymentFailedError with the reason if it does not */
async function requireShown(
  orderId: string,
  reason: string,
  read: () => Promise<boolean>,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let left = nodeReads; left > 0; left--) {
    if (await read()) return;
    await pause(nodePoll, signal);
  }
  throw new PaymentFailedError(orderId, reason);
}
