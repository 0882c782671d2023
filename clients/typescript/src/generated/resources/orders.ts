// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import type { PagePromise } from "../../core/page.ts";
import { path } from "../../core/path.ts";
import { ResourceBase } from "../../core/resource.ts";
import type {
  Agreement,
  ApprovalRequest,
  DataToSign,
  DeliveredOrder,
  DeliveryRecordRequest,
  DeliveryRequest,
  Executions,
  LatestPaymentAnswer,
  ListedOrder,
  Order,
  OrderPage,
  OrderRequest,
  OrderStatus,
  PaymentAnswer,
  PaymentInstructions,
  PaymentSubmission,
  Purchase,
  PurchaseRequest,
  Reconciliation,
  RelayAnswer,
  RevisionRequest,
  SettlementOptions,
  SignedActRequest,
  Trail,
  TrailEntry,
} from "../types.ts";

export interface OrdersListQuery {
  /** Items on a page. Unless given: `20`. */
  limit?: number;
  /** Items to leave out from the start. Not together with cursor. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the page before, under the same query. */
  cursor?: string;
  /** `payloads` gives each order's `input_payload` and `output_payload`, and pages of at most 10. */
  include?: "payloads";
  status?: OrderStatus;
  /** `pending`: only those that wait for an owner or admin. */
  approval?: "pending";
}

export interface OrdersListReceivedQuery {
  /** Items on a page. Unless given: `20`. */
  limit?: number;
  /** Items to leave out from the start. Not together with cursor. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the page before, under the same query. */
  cursor?: string;
  /** `payloads` gives each order's `input_payload` and `output_payload`, and pages of at most 10. */
  include?: "payloads";
  status?: OrderStatus;
}

export interface OrdersListTrailQuery {
  /** Items on a page. Unless given: `100`. */
  limit?: number;
  /** `next_cursor` of the page before. */
  cursor?: string;
}

export class OrdersResource extends ResourceBase {
  /**
   * Buy a service by one request, without an account. Speaks x402 v2: a stock client buys by calling this
   * once. The first answer is 402 with terms that are bound to the order's own deposit address; nothing is
   * written down for it. The same request with the header `PAYMENT-SIGNATURE` buys: the order is then that
   * of the wallet that signed, and the token of `claim` reads it. The same payment again gets the same
   * answer. A refused payment was not used. With `Prefer: wait=30` the answer waits for the output: 200
   * where it came, else 202. A request without a body is told the price alone.
   */
  buy(
    agentSlug: string,
    serviceSlug: string,
    body: PurchaseRequest,
    options?: RequestOptions & { prefer?: string },
  ): Answer<Purchase> {
    return this.send(
      {
        operation: "buyService",
        verb: "POST",
        path: path`/buy/${agentSlug}/${serviceSlug}`,
        body,
        headers: { prefer: options?.prefer },
        open: true,
        retries: false,
      },
      options,
    );
  }

  /**
   * Place an order. Freezes what is agreed and names the escrow that would pay for it. No money moves: read
   * the payment instructions next. A key needs `orders:write`.
   */
  place(body: OrderRequest, options?: RequestOptions): Answer<Order> {
    return this.send(
      { operation: "placeOrder", verb: "POST", path: "/orders", body, takesKey: true },
      options,
    );
  }

  /** The orders you placed, newest first. A key needs `orders:read`. */
  list(query?: OrdersListQuery, options?: RequestOptions): PagePromise<ListedOrder, OrderPage> {
    return this.sendPage({ operation: "listOrders", verb: "GET", path: "/orders", query }, options);
  }

  /** The orders your agents received, newest first. A key needs `orders:read`. */
  listReceived(
    query?: OrdersListReceivedQuery,
    options?: RequestOptions,
  ): PagePromise<ListedOrder, OrderPage> {
    return this.sendPage(
      { operation: "listReceivedOrders", verb: "GET", path: "/orders/received", query },
      options,
    );
  }

  /** An order you placed or received, or arbitrate. A key needs `orders:read`. */
  get(orderId: string, options?: RequestOptions): Answer<Order> {
    return this.send({ operation: "readOrder", verb: "GET", path: path`/orders/${orderId}` }, options);
  }

  /**
   * What was agreed when the order was placed. The body is the canonical JSON (RFC 8785) of the document:
   * the SHA-256 of its bytes is the escrow's `orderHash`, which the header `X-Order-Hash` repeats. A key
   * needs `orders:read`.
   */
  getAgreement(orderId: string, options?: RequestOptions): Answer<Agreement> {
    return this.send(
      { operation: "readAgreement", verb: "GET", path: path`/orders/${orderId}/agreement` },
      options,
    );
  }

  /**
   * Approve or refuse an order that waits for you. By a session of an owner or admin of the buyer; a
   * decision stands. An unfunded order that waits for nobody can be approved too, so that a key pays it that
   * may not by itself. A refused one counts no more against its key, and expires. `GET
   * /orders?approval=pending` lists those that wait.
   */
  decideApproval(orderId: string, body: ApprovalRequest, options?: RequestOptions): Answer<Order> {
    return this.send(
      {
        operation: "decideApproval",
        verb: "POST",
        path: path`/orders/${orderId}/approval`,
        body,
        takesKey: true,
      },
      options,
    );
  }

  /**
   * Deliver the output. A started order takes it; so does a disputed one until its delivery deadline or a
   * decision, and stays disputed. Refused, with the order as it was, if the output does not satisfy the
   * schema that was frozen with the order. Auto-release needs the delivery on the chain as well: sign
   * `delivery-record`, or send the signature along. A key needs `orders:write`.
   */
  deliver(orderId: string, body: DeliveryRequest, options?: RequestOptions): Answer<DeliveredOrder> {
    return this.send(
      {
        operation: "deliverOrder",
        verb: "POST",
        path: path`/orders/${orderId}/deliver`,
        body,
        takesKey: true,
      },
      options,
    );
  }

  /** What the provider signs to record the delivery on the chain. A key needs `orders:read`. */
  getDeliveryRecordToSign(orderId: string, options?: RequestOptions): Answer<DataToSign> {
    return this.send(
      { operation: "readDeliveryRecord", verb: "GET", path: path`/orders/${orderId}/delivery-record` },
      options,
    );
  }

  /**
   * Have the delivery recorded on the chain. Takes the provider's signature of the typed data and sends it;
   * the service pays the gas. The same request again gives the same relay. That it is recorded is known by
   * the trail's `delivery.recorded`. A key needs `orders:write`.
   */
  recordDelivery(
    orderId: string,
    body: DeliveryRecordRequest,
    options?: RequestOptions,
  ): Answer<RelayAnswer> {
    return this.send(
      {
        operation: "recordDelivery",
        verb: "POST",
        path: path`/orders/${orderId}/delivery-record`,
        body,
        takesKey: true,
      },
      options,
    );
  }

  /**
   * The order's trail, oldest first. An entry whose data have `times` stands for so many of its kind:
   * returns of deposits and records of deliveries are told one by one 16 times, and counted then. What is
   * not confirmed comes last. A key needs `orders:read`.
   */
  listTrail(
    orderId: string,
    query?: OrdersListTrailQuery,
    options?: RequestOptions,
  ): PagePromise<TrailEntry, Trail> {
    return this.sendPage(
      { operation: "listOrderEvents", verb: "GET", path: path`/orders/${orderId}/events`, query },
      options,
    );
  }

  /**
   * The tries to have the order executed at your endpoint. At most two: of the order, and of the changes
   * that its buyer asked for. A key needs `orders:read`.
   */
  listExecutions(orderId: string, options?: RequestOptions): Answer<Executions> {
    return this.send(
      { operation: "listExecutions", verb: "GET", path: path`/orders/${orderId}/executions` },
      options,
    );
  }

  /** What became of the payment that was handed in last. A key needs `orders:read`. */
  getPayment(orderId: string, options?: RequestOptions): Answer<LatestPaymentAnswer> {
    return this.send(
      { operation: "readPayment", verb: "GET", path: path`/orders/${orderId}/payment` },
      options,
    );
  }

  /**
   * Pay an order by x402. Speaks x402 v2, so any stock client pays here. Without a payment the answer is 402
   * with what to pay, in the header `PAYMENT-REQUIRED` and in the body, beside the `error` that every
   * refusal has. A payment comes in the header `PAYMENT-SIGNATURE` (looked at first) or as the JSON body:
   * x402's `PaymentPayload`, or only `signature` with `authorization` (the message of `typed_data`) or
   * `receiveAuthorization` (that of `receive_authorization`). It is verified and relayed into the escrow;
   * the service pays the gas. The same payment again gets the same answer. A refused one was not used: the
   * answer is 402 with the reason. That the order is funded is known by the event `order.funded` and the
   * trail. A key needs `orders:write`.
   */
  pay(orderId: string, body?: PaymentSubmission, options?: RequestOptions): Answer<PaymentAnswer> {
    return this.send(
      { operation: "payOrder", verb: "POST", path: path`/orders/${orderId}/payment`, body, takesKey: true },
      options,
    );
  }

  /**
   * How the order is paid. Chain, contract, token and exact amount, and by the order's rail the two calls
   * for the buyer's wallet, or what x402 asks for and the typed data to sign. That the order is funded is
   * known by the event `order.funded` and the trail, never from here. A key needs `orders:read`.
   */
  getPaymentInstructions(orderId: string, options?: RequestOptions): Answer<PaymentInstructions> {
    return this.send(
      {
        operation: "readPaymentInstructions",
        verb: "GET",
        path: path`/orders/${orderId}/payment-instructions`,
      },
      options,
    );
  }

  /**
   * Whether ledger, index and contract agree on the order. Reads the contract itself, so that nothing has to
   * be believed. What is not confirmed or not indexed yet is a lag and listed with `expected_to_resolve:
   * true`. A key needs `orders:read`.
   */
  reconcile(orderId: string, options?: RequestOptions): Answer<Reconciliation> {
    return this.send(
      { operation: "reconcileOrder", verb: "GET", path: path`/orders/${orderId}/reconcile` },
      options,
    );
  }

  /** What the provider signs to refund the money. A key needs `orders:read`. */
  getRefundToSign(orderId: string, options?: RequestOptions): Answer<DataToSign> {
    return this.send(
      { operation: "readRefundToSign", verb: "GET", path: path`/orders/${orderId}/refund` },
      options,
    );
  }

  /**
   * Have the money refunded to the buyer. Takes the party's signature of the typed data, with its
   * `deadline`, and sends it; the service pays the gas. The same request again gives the same relay. What
   * became of it is in the trail. A key needs `orders:write`.
   */
  refund(orderId: string, body: SignedActRequest, options?: RequestOptions): Answer<RelayAnswer> {
    return this.send(
      {
        operation: "refundOrder",
        verb: "POST",
        path: path`/orders/${orderId}/refund`,
        body,
        takesKey: true,
        exact: { deadline: "uint256" },
      },
      options,
    );
  }

  /** What the buyer signs to release the money. A key needs `orders:read`. */
  getReleaseToSign(orderId: string, options?: RequestOptions): Answer<DataToSign> {
    return this.send(
      { operation: "readReleaseToSign", verb: "GET", path: path`/orders/${orderId}/release` },
      options,
    );
  }

  /**
   * Have the money released to the provider. Takes the party's signature of the typed data, with its
   * `deadline`, and sends it; the service pays the gas. The same request again gives the same relay. What
   * became of it is in the trail. A key needs `orders:write`.
   */
  release(orderId: string, body: SignedActRequest, options?: RequestOptions): Answer<RelayAnswer> {
    return this.send(
      {
        operation: "releaseOrder",
        verb: "POST",
        path: path`/orders/${orderId}/release`,
        body,
        takesKey: true,
        exact: { deadline: "uint256" },
      },
      options,
    );
  }

  /**
   * Ask once for changes after a delivery. The order is started again and the provider delivers again.
   * `auto_release_at` and `delivery_deadline` stay as they are. A key needs `orders:write`.
   */
  requestRevision(orderId: string, body: RevisionRequest, options?: RequestOptions): Answer<Order> {
    return this.send(
      {
        operation: "requestRevision",
        verb: "POST",
        path: path`/orders/${orderId}/revision`,
        body,
        takesKey: true,
      },
      options,
    );
  }

  /**
   * What each party may do on the chain now. Every action with its raw contract call, so that nobody needs
   * this service to reach their money; what is not available says why and, where only time is missing, from
   * when. A key needs `orders:read`.
   */
  getSettlementOptions(orderId: string, options?: RequestOptions): Answer<SettlementOptions> {
    return this.send(
      { operation: "readSettlementOptions", verb: "GET", path: path`/orders/${orderId}/settlement-options` },
      options,
    );
  }

  /** Begin work on a funded order. A key needs `orders:write`. */
  start(orderId: string, options?: RequestOptions): Answer<Order> {
    return this.send(
      { operation: "startOrder", verb: "POST", path: path`/orders/${orderId}/start`, takesKey: true },
      options,
    );
  }
}
