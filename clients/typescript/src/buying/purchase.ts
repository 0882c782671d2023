import type { Hex } from "viem";
import {
  digestOf,
  hashOfText,
  plainCall,
  signatureDeadline,
  signedActData,
} from "../../../../protocol/settlement/index.ts";
import type { BaseClient } from "../base-client.ts";
import { ApiError } from "../core/errors.ts";
import type { Order, OrderStatus } from "../generated/types.ts";
import { type AgreedOrder, compareOutput } from "./agreed.ts";
import { ApprovalRequiredError, OrderEndedError, PaymentFailedError, relayFailure } from "./errors.ts";
import type { OrderWatch } from "./order-watch.ts";
import { isOver, nowOf, type Paying, payOrder } from "./paying.ts";
import type { OnProgress } from "./progress.ts";
import { type ReleaseReceipt, readReceipt } from "./receipt.ts";
import type { Signer } from "./wallet.ts";

export interface Delivery {
  output: Record<string, unknown> | null;
  /** SHA-256 of the output's canonical JSON, as the order's trail has it. */
  outputHash: string;
  note: string | null;
  order: Order;
}

/** What a purchase works with. */
export interface PurchaseParts {
  client: BaseClient;
  watch: OrderWatch;
  signer: Signer;
  agreed: AgreedOrder;
  decimals: number;
  order: Order;
  /** As in `did:web:market.example`. */
  issuer: string;
  signal?: AbortSignal | undefined;
  onProgress?: OnProgress | undefined;
}

/** How often a payment that failed on the chain is signed again. */
const payments = 3;

/** A funded order, as its buyer deals with it. Everything that it signs, it has recomputed. */
export class Purchase {
  readonly orderId: string;
  /** The agreement with what was recomputed from it. */
  readonly agreed: AgreedOrder;
  /** As it was read last. */
  order: Order;
  readonly #parts: PurchaseParts;

  constructor(parts: PurchaseParts) {
    this.#parts = parts;
    this.orderId = parts.agreed.orderId;
    this.agreed = parts.agreed;
    this.order = parts.order;
  }

  /** @internal Pays where it is not paid, and waits until the service has seen the money on the chain. */
  async fund(): Promise<void> {
    const { client, order, signer, agreed, decimals, signal, onProgress } = this.#parts;
    const rail = order.settlement_rail;
    const paying: Paying = { orders: client.orders, agreed, decimals, rail, signer, signal, onProgress };
    let failed = 0;
    if (this.order.status === "created") {
      const status = order.approval?.status;
      if (status === "pending" || status === "refused") throw new ApprovalRequiredError(order);
      await payOrder(paying).catch((error: unknown) => {
        // Placed by another, it is above what this key may pay by itself.
        const isAbove = error instanceof ApiError && error.code === "approval_required";
        throw isAbove ? new ApprovalRequiredError(order) : error;
      });
    }
    await this.#until(async (now) => {
      if (now.status === "expired") throw new OrderEndedError(now.id, "expired", "funded");
      if (now.status !== "created") return now;
      if (rail === "x402") {
        const { payment } = await client.orders.getPayment(now.id, { signal });
        if (payment?.status === "failed") {
          failed += 1;
          if (failed >= payments) throw new PaymentFailedError(now.id, payment.error ?? "transaction_failed");
          await payOrder(paying);
        }
      }
      return undefined;
    }, signal);
    await onProgress?.({ step: "funded", order: this.order });
  }

  /**
   * Waits for the delivery, and compares the output with the hash that the trail has of it.
   *
   * @throws OrderEndedError where the order was refunded; UntrustedOrderError where the output is another one
   */
  async delivery(options: { signal?: AbortSignal } = {}): Promise<Delivery> {
    const { client } = this.#parts;
    const signal = options.signal ?? this.#parts.signal;
    const order = await this.#until(async (now) => {
      if (now.status === "refunded" || now.status === "expired") {
        throw new OrderEndedError(now.id, now.status, "delivered");
      }
      const disputed = now.status === "disputed" && now.delivered_at !== null;
      return disputed || now.status === "delivered" || now.status === "released" ? now : undefined;
    }, signal);
    let latest: Record<string, unknown> = {};
    for await (const entry of client.orders.listTrail(order.id, {}, { signal })) {
      if (entry.type === "order.delivered") latest = entry.data;
    }
    const output = order.output_payload;
    const outputHash = compareOutput(order.id, output, latest.output_hash);
    return { output, outputHash, note: typeof latest.note === "string" ? latest.note : null, order };
  }

  /**
   * Releases the money to the provider by a signature, which costs no gas, and waits for the receipt.
   *
   * @param options.send releases by a call of the wallet instead, which needs nobody's help and costs its gas
   * @returns the receipt, verified: its signature, the order that it names, and the chain where there is a node
   * @throws OrderEndedError where the order ends otherwise; RelayFailedError where the contract refused the release;
   *   UntrustedOrderError where the receipt is not good
   */
  async accept(options: { send?: boolean; signal?: AbortSignal } = {}): Promise<ReleaseReceipt> {
    const { client, agreed, signer, issuer } = this.#parts;
    const signal = options.signal ?? this.#parts.signal;
    const act = async () => {
      if (options.send) return await this.#end("release");
      const body = await this.#sign("release");
      await client.orders.release(this.orderId, body, { signal });
    };
    const checkRelay = async () => {
      if (options.send) return;
      const shown = await client.orders.getReleaseToSign(this.orderId, { signal }).catch((error: unknown) => {
        // There is nothing more to sign: it is on the chain, and soon in the order.
        if (error instanceof ApiError && error.code === "invalid_state") return { relay: null };
        throw error;
      });
      const failure = relayFailure(this.orderId, "release", shown);
      if (failure) throw failure;
    };
    await this.#reach("released", signal, act, checkRelay);
    const document = await this.#parts.watch.until(
      this.orderId,
      async () => {
        try {
          return await client.receipts.getFinal(this.orderId, { signal });
        } catch (error) {
          if (error instanceof ApiError && error.code === "not_settled") return undefined;
          throw error;
        }
      },
      signal,
    );
    return await readReceipt(document, { agreed, issuer, node: signer.node });
  }

  /** Asks for changes, once in an order's life; `delivery()` then waits for the next delivery. */
  async requestChanges(reason: string): Promise<Order> {
    // The same words again are the same request, also after a crash.
    const idempotencyKey = `changes-${this.orderId}-${digestOf(reason).slice(2, 34)}`;
    this.order = await this.#parts.client.orders.requestRevision(
      this.orderId,
      { reason },
      { idempotencyKey },
    );
    return this.order;
  }

  /**
   * Disputes the order by a signature, which costs no gas: the money waits for the arbiter, or for time.
   *
   * @throws OrderEndedError where the order ended first; RelayFailedError where the contract refused the dispute
   */
  async dispute(reason: string, options: { signal?: AbortSignal } = {}): Promise<Order> {
    const { client } = this.#parts;
    const signal = options.signal ?? this.#parts.signal;
    const act = async () => {
      const body = await this.#sign("dispute", hashOfText(reason));
      await client.disputes.open(this.orderId, { ...body, reason }, { signal });
    };
    const checkRelay = async () => {
      const failure = relayFailure(
        this.orderId,
        "dispute",
        await client.disputes.get(this.orderId, {}, { signal }),
      );
      if (failure) throw failure;
    };
    return await this.#reach("disputed", signal, act, checkRelay);
  }

  /**
   * Takes the money back once the time to deliver is over and no delivery is recorded: by a call of the wallet, or by waiting
   * for the service, which sends this call by itself.
   *
   * @throws OrderEndedError where the order ends otherwise
   */
  async refund(options: { signal?: AbortSignal } = {}): Promise<Order> {
    const { signer } = this.#parts;
    const signal = options.signal ?? this.#parts.signal;
    return await this.#reach("refunded", signal, async () => {
      const due = Date.parse(this.order.delivery_deadline ?? "") / 1000;
      if (!signer.sends || (await nowOf(signer)) <= BigInt(due)) return;
      await this.#end("refund");
    });
  }

  /** Sends a call that ends the escrow. One that was sent before a crash may be mined meanwhile. */
  async #end(name: "release" | "refund"): Promise<void> {
    const { signer, agreed } = this.#parts;
    try {
      await signer.send(plainCall(agreed, name));
    } catch (error) {
      if (!(await isOver(agreed, signer))) throw error;
    }
  }

  /** Acts, unless the order is there already, and waits until it is, or until the act is found to have failed. */
  async #reach(
    status: OrderStatus,
    signal: AbortSignal | undefined,
    act: () => Promise<void>,
    checkAct?: () => Promise<void>,
  ): Promise<Order> {
    const ended: OrderStatus[] = ["released", "refunded", "expired"];
    let acted = false;
    return await this.#until(async (order) => {
      if (order.status === status) return order;
      if (ended.includes(order.status)) throw new OrderEndedError(order.id, order.status, status);
      if (acted) {
        await checkAct?.();
        return undefined;
      }
      await act().catch((error: unknown) => {
        // The act before a crash, or somebody else's, may be on its way.
        if (!(error instanceof ApiError && error.code === "conflict")) throw error;
      });
      acted = true;
      return undefined;
    }, signal);
  }

  /** Reads the order until it is as awaited. */
  async #until(
    check: (order: Order) => Promise<Order | undefined>,
    signal: AbortSignal | undefined,
  ): Promise<Order> {
    const { client, watch } = this.#parts;
    return await watch.until(
      this.orderId,
      async () => {
        this.order = await client.orders.get(this.orderId, { signal });
        return await check(this.order);
      },
      signal,
    );
  }

  async #sign(
    act: "release" | "dispute",
    reasonHash?: Hex,
  ): Promise<{ signature: string; deadline: string }> {
    const { signer, agreed } = this.#parts;
    const deadline = signatureDeadline(await nowOf(signer));
    const signature = await signer.sign(signedActData(act, agreed, { deadline, reasonHash }));
    return { signature, deadline: String(deadline) };
  }
}
