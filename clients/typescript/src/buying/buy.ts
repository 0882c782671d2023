import { getAddress, type PublicClient } from "viem";
import { digestOf } from "../../../../protocol/settlement/index.ts";
import { issuerOf } from "../../../../receipts/issuer.ts";
import type { BaseClient } from "../base-client.ts";
import type { RawResponse } from "../core/call.ts";
import { ApiError } from "../core/errors.ts";
import { path } from "../core/path.ts";
import type {
  Agent,
  ListedService,
  Order,
  OrderRequest,
  Quote,
  Service,
  SettlementRail,
} from "../generated/types.ts";
import { compareKnown, compareRequest, type Known, type RequestedOrder, readAgreed } from "./agreed.ts";
import { UntrustedOrderError } from "./errors.ts";
import { OrderWatch } from "./order-watch.ts";
import type { OnProgress } from "./progress.ts";
import { Purchase } from "./purchase.ts";
import { type OrderWallet, Signer } from "./wallet.ts";

export interface ResumeOptions extends Known {
  /** Pays, and signs. Of the buyer's account, where refunds go. */
  wallet: OrderWallet;
  /** A public client of viem, where the wallet is an account: what the chain says is asked there. */
  node?: PublicClient;
  /** The most that may be paid, a decimal as in `"3.00"`. */
  maxAmount?: string;
  /** Whose receipts are believed, as in `did:web:market.example`; the service at `baseUrl` unless given. */
  issuer?: string;
  /** Ends the waiting; what was paid stays paid. */
  signal?: AbortSignal;
  onProgress?: OnProgress;
}

export interface BuyOptions extends ResumeOptions {
  maxAmount: string;
  /** `x402`, one signature and no gas, unless given; or `escrow`, two calls of the wallet. */
  rail?: SettlementRail;
  /** The service's smallest unless given. */
  quantity?: number;
  /** Who decides a dispute: one of the service's `arbiters`. */
  arbiter?: string;
  /**
   * The name of this purchase, of your choice: the same name again is the same purchase. Unless given, the same purchase
   * again goes on with the one that has not ended yet.
   */
  key?: string;
}

/** A quote says how much is bought, and is accepted once. */
export type BuyQuoteOptions = Omit<BuyOptions, "quantity" | "key">;

const watches = new WeakMap<BaseClient, OrderWatch>();

/**
 * Buys: places the order, compares it with what was asked for, pays it, and waits until the escrow holds the money.
 *
 * @throws UntrustedOrderError, with the field that differs, before anything was signed; ApprovalRequiredError with the order,
 *   where its key may not spend so much by itself
 */
export async function buy(
  client: BaseClient,
  listed: Service | ListedService,
  input: Record<string, unknown> | null,
  options: BuyOptions,
): Promise<Purchase> {
  const { signal, arbiter, rail = "x402" } = options;
  const signer = openSigner(options);
  const { service, payoutWallet } = await readService(client, listed, signal);
  const quantity = options.quantity ?? service.min_quantity;
  const order = await place(
    client,
    {
      service_id: service.id,
      quantity,
      input_payload: input,
      settlement_rail: rail,
      buyer_address: signer.address,
      ...(arbiter === undefined ? {} : { arbiter }),
    },
    options,
  );
  compareRail(order, rail);
  const asked = { service, payoutWallet, input, quantity };
  return await open(client, order, signer, options, (agreed) => compareRequest(agreed, asked, arbiter));
}

/**
 * Buys by a quote: accepts it, compares the order with the quote and with the service, pays it, and waits until the escrow
 * holds the money. A quote that is accepted already is gone on with.
 *
 * @throws UntrustedOrderError, with the field that differs, before anything was signed; ApprovalRequiredError with the order,
 *   where its key may not spend so much by itself
 */
export async function buyQuote(
  client: BaseClient,
  quote: Quote,
  input: Record<string, unknown> | null,
  options: BuyQuoteOptions,
): Promise<Purchase> {
  const { signal, arbiter, rail = "x402" } = options;
  const signer = openSigner(options);
  const listed = { agent: quote.agent, slug: quote.service.slug };
  const { service, payoutWallet } = await readService(client, listed, signal);
  if (service.id !== quote.service.id) {
    throw new UntrustedOrderError(null, "quote.service.id", service.id, quote.service.id);
  }
  const { price_base_units, delivery_time_hours } = quote;
  const quoted = { ...service, price_base_units, delivery_time_hours };
  const { order_id } = await client.quotes.get(quote.id, { signal });
  const body = {
    input_payload: input,
    settlement_rail: rail,
    buyer_address: signer.address,
    ...(arbiter === undefined ? {} : { arbiter }),
  };
  // Accepted twice at once, it is one order all the same.
  const idempotencyKey = `quote-${quote.id}`;
  const { id } = order_id
    ? { id: order_id }
    : await client.quotes.accept(quote.id, body, { idempotencyKey, signal });
  const order = await client.orders.get(id, { signal });
  // One that was accepted before keeps the rail that it was accepted with.
  if (!order_id) compareRail(order, rail);
  const asked = { service: quoted, payoutWallet, input, quantity: 1 };
  return await open(client, order, signer, options, (agreed) => compareRequest(agreed, asked, arbiter));
}

/**
 * Goes on with an order of the buyer's, after a crash or in another process: pays it where it is not paid.
 *
 * @throws TypeError where the order has yet to be paid and no `maxAmount` is given
 */
export async function resume(client: BaseClient, orderId: string, options: ResumeOptions): Promise<Purchase> {
  const signer = openSigner(options);
  const order = await client.orders.get(orderId, { signal: options.signal });
  if (order.status === "created" && options.maxAmount === undefined) {
    throw new TypeError(`${orderId} has yet to be paid: say what you pay at most, as maxAmount.`);
  }
  return await open(client, order, signer, options);
}

function compareRail({ id, settlement_rail }: Order, asked: Order["settlement_rail"]): void {
  if (settlement_rail !== asked) {
    throw new UntrustedOrderError(id, "order.settlement_rail", asked, settlement_rail);
  }
}

async function open(
  client: BaseClient,
  order: Order,
  signer: Signer,
  options: ResumeOptions,
  compareMore?: (agreed: ReturnType<typeof readAgreed>) => void,
): Promise<Purchase> {
  const { signal, onProgress, issuer = issuerOf(client.baseUrl.replace(/\/api\/v1$/, "")) } = options;
  const agreement = await client.orders.getAgreement(order.id, { signal });
  const agreed = readAgreed(order.id, order, agreement);
  compareMore?.(agreed);
  const decimals = await compareKnown(agreed, signer.node, { ...options, buyer: signer.address });
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
    issuer,
    signal,
    onProgress,
  });
  await purchase.fund();
  return purchase;
}

function openSigner({ wallet, node, chainId, escrowContract, onProgress }: ResumeOptions): Signer {
  const signer = new Signer(wallet, node, onProgress);
  if (!signer.node && (chainId === undefined || escrowContract === undefined)) {
    throw new TypeError(
      "An account alone cannot tell the escrow contract from another: give a wallet client, or `node`, or `chainId` and `escrowContract`.",
    );
  }
  return signer;
}

/** The service with its schemas, as it is shown to everybody, and its agent's wallet. */
async function readService(
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
  const { input_schema, output_schema, execution } = shown;
  const service = "id" in listed ? { ...listed, input_schema, output_schema, execution } : shown;
  return { service, payoutWallet: getAddress(payout_wallet) };
}

/** Statuses after which the same purchase again is another one. */
const ended = ["expired", "released", "refunded"];

/**
 * Places the order once, whatever happens on the way: under a key that comes of what is bought, so that the same program
 * started again finds its order.
 */
async function place(client: BaseClient, request: OrderRequest, { key, signal }: BuyOptions): Promise<Order> {
  const base = key ?? `buy-${digestOf(request).slice(2, 50)}`;
  for (let number = 1; ; number++) {
    const idempotencyKey = number === 1 ? base : `${base}.${number}`;
    try {
      const placed = client.orders.place(request, { idempotencyKey, signal });
      const { data, response } = await placed.withResponse();
      if (!isReplay(response)) return data;
      // What the service kept is the order as it was placed.
      const order = await client.orders.get(data.id, { signal });
      if (key !== undefined || !ended.includes(order.status)) return order;
    } catch (error) {
      // A refusal that was kept may have been mended since; it left nothing behind.
      if (!(error instanceof ApiError && error.status < 500 && isReplay(error))) throw error;
    }
  }
}

const isReplay = ({ headers }: Pick<RawResponse, "headers">) => headers.get("idempotent-replayed") === "true";
