import { getAddress } from "viem";
import { issuerOf } from "../../../../receipts/issuer.ts";
import type { BaseClient } from "../base-client.ts";
import { ApiError } from "../core/errors.ts";
import { path } from "../core/path.ts";
import type { Agent, ListedService, Order, Quote, Service, SettlementRail } from "../generated/types.ts";
import {
  type AgreedOrder,
  compareKnown,
  compareRequest,
  type Known,
  type RequestedOrder,
  readAgreed,
} from "./agreement-check.ts";
import { ApprovalRequiredError, UntrustedOrderError } from "./errors.ts";
import { OrderWatch } from "./order-watch.ts";
import { payOrder } from "./paying.ts";
import { nameOf, placeOnce } from "./place-once.ts";
import type { OnProgress } from "./progress.ts";
import { Purchase } from "./purchase.ts";
import { chooseQuantity, needsQuantity } from "./quantity.ts";
import { chooseToken, type PayWith, readHeld } from "./tokens.ts";
import { type Nodes, type OrderWallet, Signer } from "./wallet.ts";

export interface ResumeOptions extends Omit<Known, "tokens"> {
  /** The wallet of the buyer's account, which pays, signs and gets refunds. */
  wallet: OrderWallet;
  /** A viem public client that reads the chain, for a wallet that is only an account. A list has a node of each chain. */
  node?: Nodes;
  /** The most to pay, a decimal of the order's token such as `"3.00"`. A token of `payWith` may have its own. */
  maxAmount?: string;
  /**
   * The tokens that you hold, the preferred one first: the first one that the service accepts pays. Name only tokens that you
   * trust. Default: the service's first token, which has to be the known token of its chain.
   */
  payWith?: PayWith;
  /** The trusted issuer of receipts, such as `did:web:market.example`. Default: the service at `baseUrl`. */
  issuer?: string;
  /** Ends the wait. A payment that was sent stays sent. */
  signal?: AbortSignal;
  onProgress?: OnProgress;
}

export interface BuyOptions extends ResumeOptions {
  /** `x402` (default): one signature without gas. `escrow`: two transactions of the wallet. */
  rail?: SettlementRail;
  /** Default: the service's minimum. The quantity of a metered service is the most units to pay, by default its maximum. */
  quantity?: number;
  /** The arbiter of a dispute: one of the service's `arbiters`. */
  arbiter?: string;
  /**
   * A name of your choice for this purchase. The same name always means the same purchase. Without a key, an equal purchase
   * resumes the one that has not ended.
   */
  key?: string;
}

/** The options of buying by a quote, which fixes the quantity and is accepted once. */
export type BuyQuoteOptions = Omit<BuyOptions, "quantity" | "key">;

const watches = new WeakMap<BaseClient, OrderWatch>();

/**
 * Buys a service: places the order, compares it with the request, pays it, and waits until the order is funded.
 *
 * @throws UntrustedOrderError with the first field that differs, before anything is signed; ApprovalRequiredError with the
 *   order, if it exceeds its key's approval limit
 */
export async function buy(
  client: BaseClient,
  listed: Service | ListedService,
  input: Record<string, unknown> | null,
  options: BuyOptions,
): Promise<Purchase> {
  const { signal, arbiter, rail = "x402" } = options;
  const [signer, held] = [openSigner(options), requireLimit(options)];
  const { service, payoutWallet } = await readService(client, listed, signal);
  const quantity = chooseQuantity(service, options);
  const asked = {
    service_id: service.id,
    input_payload: input,
    settlement_rail: rail,
    buyer_address: signer.address,
    ...(options.quantity === undefined ? {} : { quantity: options.quantity }),
    ...(arbiter === undefined ? {} : { arbiter }),
  };
  const order = await placeOnce(
    client,
    {
      ...asked,
      ...(needsQuantity(service) ? { quantity } : {}),
      ...(held && { pay_with: chooseToken(service, held) }),
    },
    options.key ?? `buy-${nameOf(asked, held).slice(2, 50)}`,
    options,
  );
  compareRail(order, rail);
  const request = { service, payoutWallet, input, quantity };
  return await open(client, order, signer, options, (agreed, decimals) =>
    compareRequest(agreed, request, { decimals, arbiter }),
  );
}

/**
 * Buys by a quote: accepts it, compares the order with the quote and the service, pays it, and waits until the order is
 * funded. An accepted quote is resumed.
 *
 * @throws UntrustedOrderError with the first field that differs, before anything is signed; ApprovalRequiredError with the
 *   order, if it exceeds its key's approval limit
 */
export async function buyQuote(
  client: BaseClient,
  quote: Quote,
  input: Record<string, unknown> | null,
  options: BuyQuoteOptions,
): Promise<Purchase> {
  const { signal, arbiter, rail = "x402" } = options;
  const [signer, held] = [openSigner(options), requireLimit(options)];
  const listed = { agent: quote.agent, slug: quote.service.slug };
  const { service, payoutWallet } = await readService(client, listed, signal);
  if (service.id !== quote.service.id) {
    throw new UntrustedOrderError(null, "quote.service.id", service.id, quote.service.id);
  }
  const { price, currency, delivery_time_hours, stages } = quote;
  const quoted = { ...service, delivery_time_hours, stages };
  const { order_id } = await client.quotes.get(quote.id, { signal });
  const body = {
    input_payload: input,
    settlement_rail: rail,
    buyer_address: signer.address,
    ...(arbiter === undefined ? {} : { arbiter }),
    ...(held && { pay_with: chooseToken(service, held) }),
  };
  // The key makes two simultaneous acceptances one order.
  const idempotencyKey = `quote-${quote.id}`;
  const { id } = order_id
    ? { id: order_id }
    : await client.quotes.accept(quote.id, body, { idempotencyKey, signal });
  const order = await client.orders.get(id, { signal });
  // An order of an earlier acceptance keeps its rail.
  if (!order_id) compareRail(order, rail);
  const request = { service: quoted, payoutWallet, input, quantity: 1, quoted: { price, currency } };
  return await open(client, order, signer, options, (agreed, decimals) =>
    compareRequest(agreed, request, { decimals, arbiter }),
  );
}

/**
 * Resumes an order of the buyer, after a crash or in another process. An unpaid order is paid.
 *
 * @throws TypeError if the order is unpaid and `maxAmount` is missing
 */
export async function resume(client: BaseClient, orderId: string, options: ResumeOptions): Promise<Purchase> {
  const signer = openSigner(options);
  const order = await client.orders.get(orderId, { signal: options.signal });
  if (order.status === "created") requireLimit(options, `${orderId} is not paid yet. `);
  return await open(client, order, signer, options);
}

function compareRail({ id, settlement_rail }: Order, expected: Order["settlement_rail"]): void {
  if (settlement_rail !== expected) {
    throw new UntrustedOrderError(id, "order.settlement_rail", expected, settlement_rail);
  }
}

async function open(
  client: BaseClient,
  order: Order,
  wallet: Signer,
  options: ResumeOptions,
  compareMore?: (agreed: AgreedOrder, decimals: number) => void,
): Promise<Purchase> {
  const { signal, onProgress } = options;
  const agreement = await client.orders.getAgreement(order.id, { signal });
  const agreed = readAgreed(order.id, order, agreement);
  const signer = await wallet.on(agreed.chainId);
  const { payWith, ...known } = options;
  const tokens = readHeld(payWith);
  const decimals = await compareKnown(agreed, signer.node, {
    ...known,
    ...(tokens && { tokens }),
    buyer: signer.address,
  });
  compareMore?.(agreed, decimals);
  const watch = watches.get(client) ?? new OrderWatch(client.events);
  watches.set(client, watch);
  await onProgress?.({ step: "agreed", order, agreed });
  const purchase = new Purchase({
    client,
    watch,
    signer,
    agreed,
    decimals,
    order,
    issuer: issuerOfClient(client, options),
    signal,
    onProgress,
  });
  const rail = order.settlement_rail;
  const paying = { orders: client.orders, agreed, decimals, rail, signer, signal, onProgress };
  await purchase.fund(async () => {
    await payOrder(paying).catch((error: unknown) => {
      // An order of another key may exceed this key's approval limit.
      const needsApproval = error instanceof ApiError && error.code === "approval_required";
      throw needsApproval ? new ApprovalRequiredError(order) : error;
    });
  });
  return purchase;
}

/** Returns the trusted issuer of receipts. */
export function issuerOfClient({ baseUrl }: BaseClient, { issuer }: ResumeOptions): string {
  return issuer ?? issuerOf(baseUrl.replace(/\/api\/v1$/, ""));
}

/** Returns the held tokens. @throws TypeError without a maximum for each token */
export function requireLimit({ payWith, maxAmount }: ResumeOptions, why = "") {
  const held = readHeld(payWith);
  if (maxAmount === undefined && held?.[0]?.maxAmount === undefined) {
    throw new TypeError(`${why}Pass maxAmount, the most that you pay.`);
  }
  return held;
}

export function openSigner(options: ResumeOptions): Signer {
  const { wallet, node, chainId, payWith, escrowContract, onProgress } = options;
  const signer = new Signer(wallet, node, onProgress);
  if (!signer.node && ((chainId ?? payWith) === undefined || escrowContract === undefined)) {
    throw new TypeError(
      "An account alone cannot verify the escrow contract. Pass a wallet client, or `node`, or `escrowContract` with `chainId` or `payWith`.",
    );
  }
  return signer;
}

/** Reads the public service with its schemas, and its agent's payout wallet. */
export async function readService(
  client: BaseClient,
  listed: Service | ListedService | (Pick<Service, "slug"> & { agent: Pick<Agent, "slug"> }),
  signal: AbortSignal | undefined,
): Promise<Pick<RequestedOrder, "service" | "payoutWallet">> {
  const read = <T>(at: string) => client.request<T>({ verb: "GET", path: at, open: true }, { signal });
  const agent = path`/agents/${listed.agent.slug}`;
  const { payout_wallet } = await read<Agent>(agent);
  if (payout_wallet === null) throw new TypeError(`The agent ${listed.agent.slug} has no payout wallet.`);
  if ("input_schema" in listed) return { service: listed, payoutWallet: getAddress(payout_wallet) };
  const shown = await read<Service>(agent + path`/services/${listed.slug}`);
  const { input_schema, output_schema, stages, execution, session } = shown;
  const service =
    "id" in listed ? { ...listed, input_schema, output_schema, stages, execution, session } : shown;
  return { service, payoutWallet: getAddress(payout_wallet) };
}
