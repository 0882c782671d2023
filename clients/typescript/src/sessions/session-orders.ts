import type { BaseClient } from "../base-client.ts";
import { type AgreedOrder, type Known, readAgreed } from "../buying/agreement-check.ts";
import { UntrustedOrderError } from "../buying/errors.ts";
import { readEscrowState } from "../buying/escrow-on-chain.ts";
import type { Signer } from "../buying/wallet.ts";
import { path } from "../core/path.ts";
import { isTemporary, pause } from "../core/retry.ts";
import type { EventType, Order } from "../generated/types.ts";
import { checkFunded, findEnd } from "../serving/serve.ts";
import { type SessionTerms, sessionTermsOf } from "./session-terms.ts";

/** The callbacks for news of the service's orders. */
export interface SessionNews {
  opened: (terms: SessionTerms, agreed: AgreedOrder) => Promise<void> | void;
  ended: (escrowId: string) => void;
}

export interface SessionOrdersParts {
  client: BaseClient;
  /** the id of the service */
  serviceId: string;
  signer: Signer;
  known: Known;
  /** the agreed terms have to match these: the price of a call in base units of the agreement's token, and the key */
  accepts: (terms: SessionTerms) => string | null;
  news: SessionNews;
  signal: AbortSignal;
  onError?: ((error: unknown, orderId: string) => void) | undefined;
}

const types: EventType[] = ["order.funded", "order.released", "order.refunded"];

/** Milliseconds between two reads of the feed: while nobody asks, and if somebody calls an unknown session. */
const [quietMs, wokenMs] = [5_000, 500];

/**
 * Follows the orders of one service. An unknown session hurries the next read of the feed, so any number of calls to unknown
 * sessions costs two reads a second at most.
 */
export class SessionOrders {
  readonly #parts: SessionOrdersParts;
  #wake: (() => void) | null = null;

  constructor(parts: SessionOrdersParts) {
    this.#parts = parts;
  }

  /** Reads the feed sooner. */
  readFeedNow(): void {
    this.#wake?.();
  }

  /** Lists the open orders, and follows the feed from before the list. Returns once the list is read. */
  async start(): Promise<{ done: Promise<void> }> {
    const { client, signal } = this.#parts;
    const cursor = await findEnd(client, signal);
    const open = { status: "funded", service: this.#parts.serviceId, limit: 100 } as const;
    for await (const order of client.orders.listReceived(open, { signal })) await this.#open(order.id);
    return { done: this.#follow(cursor) };
  }

  async #follow(from: string | undefined): Promise<void> {
    const { client, signal, onError } = this.#parts;
    let cursor = from;
    while (!signal.aborted) {
      try {
        const page = await client.events.list({ cursor, type: types, limit: 100 }, { signal });
        for (const event of page.items) {
          if (!("order" in event.data) || event.data.order.service_id !== this.#parts.serviceId) continue;
          await this.#take(event.type, event.data.order.id);
        }
        cursor = page.next_cursor;
        if (page.has_more) continue;
      } catch (error) {
        if (signal.aborted) return;
        if (!isTemporary(error)) throw error;
        onError?.(error, "");
      }
      await this.#wait();
    }
  }

  async #take(type: string, orderId: string): Promise<void> {
    const { news } = this.#parts;
    if (type === "order.funded") return await this.#open(orderId);
    const { escrow } = await this.#read(orderId);
    news.ended(escrow.escrow_id.toLowerCase());
  }

  async #open(orderId: string): Promise<void> {
    const { client, known, news, accepts, onError, signal } = this.#parts;
    try {
      const order = await this.#read(orderId);
      if (order.pricing_model !== "per_call") return;
      const agreed = readAgreed(orderId, order, await client.orders.getAgreement(orderId, { signal }));
      const signer = await this.#parts.signer.on(agreed.chainId);
      await checkFunded(agreed, signer, known, signal);
      const terms = sessionTermsOf(agreed, order.delivery_deadline);
      const state = await readEscrowState(agreed, signer);
      // The chain's deadline counts: after it, vouchers may be worth nothing.
      if (state) terms.endsAt = state.fundedAt * 1000 + terms.windowMs;
      const refusal = accepts(terms);
      if (refusal) throw new UntrustedOrderError(orderId, "agreement", refusal, "other terms");
      await news.opened(terms, agreed);
    } catch (error) {
      if (signal.aborted || isTemporary(error)) throw error;
      onError?.(error, orderId);
    }
  }

  async #read(orderId: string): Promise<Order> {
    const { client, signal } = this.#parts;
    return await client.request<Order>({ verb: "GET", path: path`/orders/${orderId}` }, { signal });
  }

  async #wait(): Promise<void> {
    const { signal } = this.#parts;
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    const paused = AbortSignal.any([signal, woken.signal]);
    await pause(wokenMs, signal).catch(() => {});
    await pause(quietMs - wokenMs, paused).catch(() => {});
    this.#wake = null;
  }
}
