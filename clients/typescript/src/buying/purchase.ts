import { digestOf, hashOfText } from "../../../../protocol/settlement/index.ts";
import type { BaseClient } from "../base-client.ts";
import { ApiError } from "../core/errors.ts";
import type { Order, OrderClaim, OrderStatus } from "../generated/types.ts";
import type { AgreedOrder } from "./agreement-check.ts";
import { endEscrow, signAct } from "./buyer-acts.ts";
import type { Delivery } from "./delivered-work.ts";
import { chargeOf, compareOutput, type WaitingStage, waitingStageOf } from "./delivered-work.ts";
import { OrderEndedError, relayFailure } from "./errors.ts";
import { nowOf } from "./escrow-on-chain.ts";
import { fundOrder } from "./funding.ts";
import type { OrderWatch } from "./order-watch.ts";
import type { OnProgress } from "./progress.ts";
import { awaitReceipt, paidAmountOf, type ReleaseReceipt, readReceipt } from "./receipt.ts";
import type { Signer } from "./wallet.ts";

/** The buyer's decision about a delivered stage: it is accepted and paid, or the provider has to deliver it again. */
export type StageDecision = "accept" | { changes: string };

/** The dependencies of a purchase. */
export interface PurchaseParts {
  /** Reads the order. */
  client: BaseClient;
  /** Returns the client that acts for the buyer. Default: `client`. */
  acting?: () => Promise<BaseClient>;
  /** The claim of an order that was bought without an account. */
  claim?: OrderClaim;
  watch: OrderWatch;
  signer: Signer;
  agreed: AgreedOrder;
  decimals: number;
  order: Order;
  /** The DID of the issuer, for example `did:web:market.example`. */
  issuer: string;
  signal?: AbortSignal | undefined;
  onProgress?: OnProgress | undefined;
}

/** The statuses of an order that has ended. After them, an equal purchase is a new purchase. */
export const endStatuses: readonly OrderStatus[] = ["released", "refunded", "expired"];

/** A funded order, for its buyer. It signs only data that it has recomputed. */
export class Purchase {
  readonly orderId: string;
  /** The agreement with the values that were recomputed from it. */
  readonly agreed: AgreedOrder;
  /** The claim of an order that was bought without an account. Store it to resume the purchase. */
  readonly claim: OrderClaim | null;
  /** The order at its last read. */
  order: Order;
  readonly #parts: PurchaseParts;

  constructor(parts: PurchaseParts) {
    this.#parts = parts;
    this.orderId = parts.agreed.orderId;
    this.agreed = parts.agreed;
    this.claim = parts.claim ?? null;
    this.order = parts.order;
  }

  /**
   * @internal Pays an unpaid order, and waits until the service has seen the money on the chain.
   *
   * @param pay pays once. It is called again for a payment that the chain refused
   */
  async fund(pay: () => Promise<void>, { isPaid = false } = {}): Promise<void> {
    await fundOrder(
      { ...this.#parts, order: this.order },
      { isPaid, pay, until: (check, signal) => this.#until(check, signal) },
    );
    await this.#parts.onProgress?.({ step: "funded", order: this.order });
  }

  /**
   * Waits for the delivery, and compares the output with its hash in the trail.
   *
   * @throws OrderEndedError if the order was refunded; UntrustedOrderError if the output does not match
   */
  async delivery(options: { signal?: AbortSignal } = {}): Promise<Delivery> {
    const { client } = this.#parts;
    const signal = options.signal ?? this.#parts.signal;
    const order = await this.#until(async (current) => {
      if (current.status === "refunded" || current.status === "expired") {
        throw new OrderEndedError(current.id, current.status, "delivered");
      }
      const disputed = current.status === "disputed" && current.delivered_at !== null;
      return disputed || current.status === "delivered" || current.status === "released"
        ? current
        : undefined;
    }, signal);
    let latest: Record<string, unknown> = {};
    for await (const entry of client.orders.listTrail(order.id, {}, { signal })) {
      if (entry.type === "order.delivered") latest = entry.data;
    }
    const output = order.output_payload;
    const outputHash = compareOutput(order.id, output, latest.output_hash);
    const note = typeof latest.note === "string" ? latest.note : null;
    const units = chargeOf(this.agreed, order)?.units ?? null;
    return { output, outputHash, note, units, stage: waitingStageOf(this.agreed, order), order };
  }

  /**
   * Releases the money to the provider by a signature without gas, and waits for the receipt. The
   * signature for a metered order pays the charge of the delivered units and no more.
   *
   * @param options.send sends a transaction of the wallet instead, which needs no service and costs gas
   * @returns the receipt, after its signature, its order and, with a node, the chain were verified
   * @throws OrderEndedError if the order ends otherwise; RelayFailedError if the contract refuses the release;
   *   UntrustedOrderError if the receipt is not valid
   */
  async accept(options: { send?: boolean; signal?: AbortSignal } = {}): Promise<ReleaseReceipt> {
    const { client, agreed, signer, issuer } = this.#parts;
    const signal = options.signal ?? this.#parts.signal;
    if (waitingStageOf(agreed, this.order)?.isFinal === false) {
      throw new TypeError(`Further stages of ${this.orderId} follow: pay this one by acceptStage().`);
    }
    const acting = this.#acting();
    const act = async () => {
      if (options.send) return await endEscrow("release", this.#parts, this.order);
      const body = await signAct("release", this.#parts, this.order);
      await (await acting()).orders.release(this.orderId, body, { signal });
    };
    const checkRelay = async () => {
      if (options.send) return;
      const { orders } = await acting();
      const shown = await orders.getReleaseToSign(this.orderId, { signal }).catch((error: unknown) => {
        // Nothing is left to sign: the release is on the chain, and the order will show it.
        if (error instanceof ApiError && error.code === "invalid_state") return { relay: null };
        throw error;
      });
      const failure = relayFailure(this.orderId, "release", shown);
      if (failure) throw failure;
    };
    await this.#reach("released", signal, act, checkRelay);
    const document = await awaitReceipt(client, this.#parts.watch, this.orderId, signal);
    const amount = paidAmountOf(agreed, this.order);
    return await readReceipt(document, { agreed, amount, issuer, node: signer.node });
  }

  /**
   * Pays the delivered stage of an order by a signature without gas, and waits until the service has seen the payment. Then
   * `delivery()` waits for the next stage. After the last stage, `accept()` returns the receipt of the order.
   *
   * @param number the stage that you accept, from 1: a signature pays all stages up to it
   * @throws OrderEndedError if the order ends before; TypeError if another stage waits
   */
  async acceptStage(number: number, options: { signal?: AbortSignal } = {}): Promise<Order> {
    const signal = options.signal ?? this.#parts.signal;
    let acted = false;
    return await this.#until(async (order) => {
      if (order.stages?.[number - 1]?.state === "accepted") return order;
      if (endStatuses.includes(order.status)) throw new OrderEndedError(order.id, order.status, "accepted");
      const waiting = waitingStageOf(this.agreed, order)?.number ?? null;
      if (waiting !== number) throw new TypeError(`Stage ${number} of ${order.id} is not delivered.`);
      const { orders } = await this.#acting()();
      if (acted) {
        const shown = await orders.getReleaseToSign(order.id, { signal }).catch(() => ({ relay: null }));
        const failure = relayFailure(order.id, "release", shown);
        if (failure) throw failure;
        return undefined;
      }
      await orders.release(order.id, await signAct("release", this.#parts, this.order), { signal });
      acted = true;
      return undefined;
    }, signal);
  }

  /**
   * Buys the work of an order stage by stage. Calls a handler with each delivered stage, and does what the handler decides. A
   * run after a crash calls the handler again with a stage that still waits.
   *
   * @param handler accepts the stage, or names changes, which each stage allows once. If it throws, the stage stays as it is
   * @returns the receipt of the order, once all stages are paid
   * @throws OrderEndedError if the order is refunded or disputed
   */
  async onStage(
    handler: (delivery: Delivery & { stage: WaitingStage }) => StageDecision | Promise<StageDecision>,
    options: { signal?: AbortSignal } = {},
  ): Promise<ReleaseReceipt> {
    if (this.agreed.agreement.stages === undefined) {
      throw new TypeError(`${this.orderId} has no stages: accept its delivery by accept().`);
    }
    for (;;) {
      const { stage, ...delivery } = await this.delivery(options);
      const { status } = delivery.order;
      if (status === "disputed") throw new OrderEndedError(this.orderId, status, "accepted");
      if (!stage) return await this.accept(options);
      const decision = await handler({ ...delivery, stage });
      if (decision !== "accept") await this.#requestChangesOf(stage, decision.changes);
      else if (stage.isFinal) return await this.accept(options);
      else await this.acceptStage(stage.number, options);
    }
  }

  /** Requests changes of a stage, unless time has paid it meanwhile. */
  async #requestChangesOf({ number }: WaitingStage, reason: string): Promise<void> {
    try {
      await this.requestChanges(reason);
    } catch (error) {
      if (!(error instanceof ApiError && error.code === "invalid_state")) throw error;
      this.order = await this.#parts.client.orders.get(this.orderId);
      if (this.order.stages?.[number - 1]?.state !== "accepted") throw error;
    }
  }

  /** Requests changes, which an order and each of its stages allow once. `delivery()` then waits for the next delivery. */
  async requestChanges(reason: string): Promise<Order> {
    // An equal reason is the same request, even after a crash.
    const idempotencyKey = `changes-${this.orderId}-${digestOf(reason).slice(2, 34)}`;
    const { orders } = await this.#acting()();
    this.order = await orders.requestRevision(this.orderId, { reason }, { idempotencyKey });
    return this.order;
  }

  /**
   * Opens a dispute by a signature without gas. The money is held until the arbiter decides or the deadlines pass.
   *
   * @throws OrderEndedError if the order ended first; RelayFailedError if the contract refuses the dispute
   */
  async dispute(reason: string, options: { signal?: AbortSignal } = {}): Promise<Order> {
    const signal = options.signal ?? this.#parts.signal;
    const acting = this.#acting();
    const act = async () => {
      const body = await signAct("dispute", this.#parts, this.order, hashOfText(reason));
      await (await acting()).disputes.open(this.orderId, { ...body, reason }, { signal });
    };
    const checkRelay = async () => {
      const { disputes } = await acting();
      const failure = relayFailure(this.orderId, "dispute", await disputes.get(this.orderId, {}, { signal }));
      if (failure) throw failure;
    };
    return await this.#reach("disputed", signal, act, checkRelay);
  }

  /**
   * Reclaims the money after the delivery deadline if no delivery is recorded. The wallet sends the call. An account waits for
   * the service, which sends it automatically.
   *
   * @throws OrderEndedError if the order ends otherwise
   */
  async refund(options: { signal?: AbortSignal } = {}): Promise<Order> {
    const { signer } = this.#parts;
    const signal = options.signal ?? this.#parts.signal;
    return await this.#reach("refunded", signal, async () => {
      const due = Date.parse(this.order.delivery_deadline ?? "") / 1000;
      if (!signer.sends || (await nowOf(signer)) <= BigInt(due)) return;
      await endEscrow("refund", this.#parts, this.order);
    });
  }

  /** Returns the source of the client for one action. A purchase without an account signs in first, once. */
  #acting(): () => Promise<BaseClient> {
    const { client, acting = async () => client } = this.#parts;
    let opened: Promise<BaseClient> | undefined;
    return () => (opened ??= acting());
  }

  /** Acts unless the order has the status, and waits for the status or for the failure of the act. */
  async #reach(
    status: OrderStatus,
    signal: AbortSignal | undefined,
    act: () => Promise<void>,
    checkAct?: () => Promise<void>,
  ): Promise<Order> {
    let acted = false;
    return await this.#until(async (order) => {
      if (order.status === status) return order;
      if (endStatuses.includes(order.status)) throw new OrderEndedError(order.id, order.status, status);
      if (acted) {
        await checkAct?.();
        return undefined;
      }
      // The rest of a metered order comes back with its payment, once the provider has recorded that it claims no more.
      const isMetered = this.agreed.agreement.pricing_model === "metered";
      if (status === "released" && isMetered && order.delivery_record === "none") return undefined;
      await act().catch((error: unknown) => {
        // An equal act, of a run before a crash or of another process, may be pending.
        if (!(error instanceof ApiError && error.code === "conflict")) throw error;
      });
      acted = true;
      return undefined;
    }, signal);
  }

  /** Reads the order until `check` returns it. */
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
}
