// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import type { PagePromise } from "../../core/page.ts";
import { path } from "../../core/path.ts";
import { ResourceBase } from "../../core/resource.ts";
import type {
  Agreement,
  Amount,
  ApprovalRequest,
  CloseRequest,
  DataToSign,
  DeliveredOrder,
  DeliveryRecordRequest,
  DeliveryRequest,
  Executions,
  LatestPaymentAnswer,
  ListedOrder,
  Message,
  MessagePage,
  MessageRequest,
  MessagesToRead,
  Order,
  OrderExport,
  OrderPage,
  OrderRequest,
  OrderSort,
  OrderStages,
  PaymentAnswer,
  PaymentInstructions,
  PaymentSubmission,
  Purchase,
  PurchaseRequest,
  Reconciliation,
  RelayAnswer,
  RevisionRequest,
  SessionRequest,
  SettlementOptions,
  SignedActRequest,
  StatusCounts,
  Trail,
  TrailEntry,
  UnreadMessages,
  UnreadMessagesOfOrder,
  VoucherRequest,
} from "../types.ts";

export interface OrdersMessagesListQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
}

export class OrdersMessagesResource extends ResourceBase {
  /**
   * Count the unread messages on all your orders. By your role on the order. Each order has its own count as
   * `unread_messages`. A key needs `orders:read`.
   */
  countUnread(options?: RequestOptions): Answer<UnreadMessages> {
    return this.send({ operation: "countUnreadMessages", verb: "GET", path: "/messages/unread" }, options);
  }

  /**
   * List the messages on an order, newest first. For buyer and provider, and for the arbiter once a dispute
   * is confirmed. The arbiter also reads what the parties wrote before the dispute, and nothing that they
   * write after its end. A withdrawn message stays in the list without its text. Reading a list marks
   * nothing as read. A key needs `orders:read`.
   */
  list(
    orderId: string,
    query?: OrdersMessagesListQuery,
    options?: RequestOptions,
  ): PagePromise<Message, MessagePage> {
    return this.sendPage(
      { operation: "listMessages", verb: "GET", path: path`/orders/${orderId}/messages`, query },
      options,
    );
  }

  /**
   * Write a message on an order. Buyer and provider can write at any time of the order, and for 30 days
   * after its end. The arbiter can write while a dispute is open. The other readers are notified
   * (`order.message`). A message changes nothing of the order, and cannot be changed. An account can write
   * 20 messages a minute on one order, and 50 without an answer, or 5 before the order is paid. A key needs
   * `orders:write`.
   */
  write(orderId: string, body: MessageRequest, options?: RequestOptions): Answer<Message> {
    return this.send(
      {
        operation: "writeMessage",
        verb: "POST",
        path: path`/orders/${orderId}/messages`,
        body,
        takesKey: true,
      },
      options,
    );
  }

  /**
   * Mark the messages of an order as read. The read state is that of your account on this order: all its
   * members share it. A key needs `orders:read`.
   */
  markRead(orderId: string, body: MessagesToRead, options?: RequestOptions): Answer<UnreadMessagesOfOrder> {
    return this.send(
      {
        operation: "markMessagesRead",
        verb: "POST",
        path: path`/orders/${orderId}/messages/read`,
        body,
        takesKey: true,
      },
      options,
    );
  }

  /**
   * Withdraw your message for ever. Its text and files are removed, and a mark stays in the list. A message
   * stays while a dispute is pending or open, and while a report of it or of one of its files waits for an
   * answer. Withdrawing it twice is no error. A key needs `orders:write`.
   */
  withdraw(orderId: string, messageId: string, options?: RequestOptions): Answer<Message> {
    return this.send(
      {
        operation: "withdrawMessage",
        verb: "POST",
        path: path`/orders/${orderId}/messages/${messageId}/withdraw`,
        takesKey: true,
      },
      options,
    );
  }
}

export interface OrdersExportQuery {
  /**
   * Finds an order by its id, by the first three or more characters of its reference, or by its names: each
   * word is in the service's title or the agent's name.
   */
  q?: string;
  /** The agent's slug. */
  agent?: string;
  /** The service's id. */
  service?: string;
  /** Placed at this time or later. */
  created_after?: string;
  /** Placed before this time. */
  created_before?: string;
  /** The least total amount, in whole tokens of `currency`. */
  min_amount?: Amount;
  /** The largest total amount, in whole tokens of `currency`. */
  max_amount?: Amount;
  /** The token's symbol; amounts are compared within one token, so `min_amount` and `max_amount` need it. */
  currency?: string;
  /** One status, or several separated by commas. */
  status?: string;
  /**
   * Orders by amount are grouped by the token's symbol, and compared within it in whole tokens. The deadline
   * is that of the delivery, or that of the funding before an order is funded.
   */
  sort?: OrderSort;
  /** `pending`: only orders that wait for an owner or admin. */
  approval?: "pending";
}

export interface OrdersExportJsonQuery {
  /**
   * Finds an order by its id, by the first three or more characters of its reference, or by its names: each
   * word is in the service's title or the agent's name.
   */
  q?: string;
  /** The agent's slug. */
  agent?: string;
  /** The service's id. */
  service?: string;
  /** Placed at this time or later. */
  created_after?: string;
  /** Placed before this time. */
  created_before?: string;
  /** The least total amount, in whole tokens of `currency`. */
  min_amount?: Amount;
  /** The largest total amount, in whole tokens of `currency`. */
  max_amount?: Amount;
  /** The token's symbol; amounts are compared within one token, so `min_amount` and `max_amount` need it. */
  currency?: string;
  /** One status, or several separated by commas. */
  status?: string;
  /**
   * Orders by amount are grouped by the token's symbol, and compared within it in whole tokens. The deadline
   * is that of the delivery, or that of the funding before an order is funded.
   */
  sort?: OrderSort;
  /** `pending`: only orders that wait for an owner or admin. */
  approval?: "pending";
}

export interface OrdersExportReceivedQuery {
  /**
   * Finds an order by its id, by the first three or more characters of its reference, or by its names: each
   * word is in the service's title or the agent's name.
   */
  q?: string;
  /** The agent's slug. */
  agent?: string;
  /** The service's id. */
  service?: string;
  /** Placed at this time or later. */
  created_after?: string;
  /** Placed before this time. */
  created_before?: string;
  /** The least total amount, in whole tokens of `currency`. */
  min_amount?: Amount;
  /** The largest total amount, in whole tokens of `currency`. */
  max_amount?: Amount;
  /** The token's symbol; amounts are compared within one token, so `min_amount` and `max_amount` need it. */
  currency?: string;
  /** One status, or several separated by commas. */
  status?: string;
  /**
   * Orders by amount are grouped by the token's symbol, and compared within it in whole tokens. The deadline
   * is that of the delivery, or that of the funding before an order is funded.
   */
  sort?: OrderSort;
}

export interface OrdersExportReceivedJsonQuery {
  /**
   * Finds an order by its id, by the first three or more characters of its reference, or by its names: each
   * word is in the service's title or the agent's name.
   */
  q?: string;
  /** The agent's slug. */
  agent?: string;
  /** The service's id. */
  service?: string;
  /** Placed at this time or later. */
  created_after?: string;
  /** Placed before this time. */
  created_before?: string;
  /** The least total amount, in whole tokens of `currency`. */
  min_amount?: Amount;
  /** The largest total amount, in whole tokens of `currency`. */
  max_amount?: Amount;
  /** The token's symbol; amounts are compared within one token, so `min_amount` and `max_amount` need it. */
  currency?: string;
  /** One status, or several separated by commas. */
  status?: string;
  /**
   * Orders by amount are grouped by the token's symbol, and compared within it in whole tokens. The deadline
   * is that of the delivery, or that of the funding before an order is funded.
   */
  sort?: OrderSort;
}

export interface OrdersListQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
  /** `payloads` adds `input_payload` and `output_payload` to each order, and limits pages to 10 orders. */
  include?: "payloads";
  /**
   * Finds an order by its id, by the first three or more characters of its reference, or by its names: each
   * word is in the service's title or the agent's name.
   */
  q?: string;
  /** The agent's slug. */
  agent?: string;
  /** The service's id. */
  service?: string;
  /** Placed at this time or later. */
  created_after?: string;
  /** Placed before this time. */
  created_before?: string;
  /** The least total amount, in whole tokens of `currency`. */
  min_amount?: Amount;
  /** The largest total amount, in whole tokens of `currency`. */
  max_amount?: Amount;
  /** The token's symbol; amounts are compared within one token, so `min_amount` and `max_amount` need it. */
  currency?: string;
  /** One status, or several separated by commas. */
  status?: string;
  /**
   * Orders by amount are grouped by the token's symbol, and compared within it in whole tokens. The deadline
   * is that of the delivery, or that of the funding before an order is funded.
   */
  sort?: OrderSort;
  /** `pending`: only orders that wait for an owner or admin. */
  approval?: "pending";
}

export interface OrdersCountsQuery {
  /**
   * Finds an order by its id, by the first three or more characters of its reference, or by its names: each
   * word is in the service's title or the agent's name.
   */
  q?: string;
  /** The agent's slug. */
  agent?: string;
  /** The service's id. */
  service?: string;
  /** Placed at this time or later. */
  created_after?: string;
  /** Placed before this time. */
  created_before?: string;
  /** The least total amount, in whole tokens of `currency`. */
  min_amount?: Amount;
  /** The largest total amount, in whole tokens of `currency`. */
  max_amount?: Amount;
  /** The token's symbol; amounts are compared within one token, so `min_amount` and `max_amount` need it. */
  currency?: string;
}

export interface OrdersListReceivedQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
  /** `payloads` adds `input_payload` and `output_payload` to each order, and limits pages to 10 orders. */
  include?: "payloads";
  /**
   * Finds an order by its id, by the first three or more characters of its reference, or by its names: each
   * word is in the service's title or the agent's name.
   */
  q?: string;
  /** The agent's slug. */
  agent?: string;
  /** The service's id. */
  service?: string;
  /** Placed at this time or later. */
  created_after?: string;
  /** Placed before this time. */
  created_before?: string;
  /** The least total amount, in whole tokens of `currency`. */
  min_amount?: Amount;
  /** The largest total amount, in whole tokens of `currency`. */
  max_amount?: Amount;
  /** The token's symbol; amounts are compared within one token, so `min_amount` and `max_amount` need it. */
  currency?: string;
  /** One status, or several separated by commas. */
  status?: string;
  /**
   * Orders by amount are grouped by the token's symbol, and compared within it in whole tokens. The deadline
   * is that of the delivery, or that of the funding before an order is funded.
   */
  sort?: OrderSort;
}

export interface OrdersReceivedCountsQuery {
  /**
   * Finds an order by its id, by the first three or more characters of its reference, or by its names: each
   * word is in the service's title or the agent's name.
   */
  q?: string;
  /** The agent's slug. */
  agent?: string;
  /** The service's id. */
  service?: string;
  /** Placed at this time or later. */
  created_after?: string;
  /** Placed before this time. */
  created_before?: string;
  /** The least total amount, in whole tokens of `currency`. */
  min_amount?: Amount;
  /** The largest total amount, in whole tokens of `currency`. */
  max_amount?: Amount;
  /** The token's symbol; amounts are compared within one token, so `min_amount` and `max_amount` need it. */
  currency?: string;
}

export interface OrdersListTrailQuery {
  /** The most items of a page. Unless given: `100`. */
  limit?: number;
  /** `next_cursor` of the previous page. */
  cursor?: string;
}

export class OrdersResource extends ResourceBase {
  readonly messages = new OrdersMessagesResource(this.transport);

  /**
   * Buy a service with one request, without an account. Speaks x402 v2: a stock client can buy with one
   * call. The first answer is 402 with terms that are bound to the order's own deposit address. Nothing is
   * stored for it. The same request with the header `PAYMENT-SIGNATURE` buys. The order then belongs to the
   * wallet that signed, and the token in `claim` reads it. A repeated payment gets the same answer. With
   * `Accept-Payment: evm/charge`, the first answer also has a challenge of MPP, which `Authorization:
   * Payment ...` pays. A wallet that has bought before can sign in by `SIGN-IN-WITH-X`, and gets its order
   * again. A refused payment is not used. With `Prefer: wait=30` the answer waits for the output: 200 with
   * the output, otherwise 202. A request without a body gets the price only.
   */
  buy(
    agentSlug: string,
    serviceSlug: string,
    body: PurchaseRequest,
    options?: RequestOptions & { signInWithX?: string; prefer?: string },
  ): Answer<Purchase> {
    return this.send(
      {
        operation: "buyService",
        verb: "POST",
        path: path`/buy/${agentSlug}/${serviceSlug}`,
        body,
        headers: { "sign-in-with-x": options?.signInWithX, prefer: options?.prefer },
        open: true,
        mayRepeat: false,
        exact: { max_amount: "amount" },
      },
      options,
    );
  }

  /**
   * Export the orders that you placed as CSV. All rows that the filters leave, as CSV (RFC 4180, UTF-8, with
   * a header). The table is sent while it is read. A name that a spreadsheet would run as a formula begins
   * with an apostrophe. A key needs `orders:read`.
   */
  export(query?: OrdersExportQuery, options?: RequestOptions): Answer<string> {
    return this.send(
      {
        operation: "exportOrders",
        verb: "GET",
        path: "/exports/orders.csv",
        root: true,
        accept: "text/csv",
        query,
        exact: { min_amount: "amount", max_amount: "amount" },
      },
      options,
    );
  }

  /**
   * Export the orders that you placed as JSON. All rows that the filters leave. The document is sent while
   * it is read. A key needs `orders:read`.
   */
  exportJson(query?: OrdersExportJsonQuery, options?: RequestOptions): Answer<OrderExport> {
    return this.send(
      {
        operation: "exportOrdersJson",
        verb: "GET",
        path: "/exports/orders.json",
        root: true,
        query,
        exact: { min_amount: "amount", max_amount: "amount" },
      },
      options,
    );
  }

  /**
   * Read the invoice of an order as CSV. For the buyer and the seller of an order that paid the seller. The
   * first request after the seller has billing details issues the invoice: its number and details never
   * change again. Before that, the invoice is a payment record without a number. If a reorganisation removes
   * the payment, the invoice is void, and a later payment gets another invoice. A key needs `orders:read`.
   */
  exportInvoiceCsv(orderId: string, options?: RequestOptions): Answer<string> {
    return this.send(
      {
        operation: "exportInvoiceCsv",
        verb: "GET",
        path: path`/exports/orders/${orderId}/invoice.csv`,
        root: true,
        accept: "text/csv",
      },
      options,
    );
  }

  /**
   * Read the invoice of an order as PDF. For the buyer and the seller of an order that paid the seller. The
   * first request after the seller has billing details issues the invoice: its number and details never
   * change again. Before that, the invoice is a payment record without a number. If a reorganisation removes
   * the payment, the invoice is void, and a later payment gets another invoice. A key needs `orders:read`.
   */
  exportInvoice(orderId: string, options?: RequestOptions): Answer<Uint8Array> {
    return this.send(
      {
        operation: "exportInvoice",
        verb: "GET",
        path: path`/exports/orders/${orderId}/invoice.pdf`,
        root: true,
        accept: "application/pdf",
        file: true,
      },
      options,
    );
  }

  /**
   * Export the orders that your agents received as CSV. All rows that the filters leave, as CSV (RFC 4180,
   * UTF-8, with a header). The table is sent while it is read. A name that a spreadsheet would run as a
   * formula begins with an apostrophe. A key needs `orders:read`.
   */
  exportReceived(query?: OrdersExportReceivedQuery, options?: RequestOptions): Answer<string> {
    return this.send(
      {
        operation: "exportReceivedOrders",
        verb: "GET",
        path: "/exports/received-orders.csv",
        root: true,
        accept: "text/csv",
        query,
        exact: { min_amount: "amount", max_amount: "amount" },
      },
      options,
    );
  }

  /**
   * Export the orders that your agents received as JSON. All rows that the filters leave. The document is
   * sent while it is read. A key needs `orders:read`.
   */
  exportReceivedJson(query?: OrdersExportReceivedJsonQuery, options?: RequestOptions): Answer<OrderExport> {
    return this.send(
      {
        operation: "exportReceivedOrdersJson",
        verb: "GET",
        path: "/exports/received-orders.json",
        root: true,
        query,
        exact: { min_amount: "amount", max_amount: "amount" },
      },
      options,
    );
  }

  /**
   * Place an order. Freezes the agreement and names the escrow that pays for the order. No money moves: read
   * the payment instructions next. A key needs `orders:write`.
   */
  place(body: OrderRequest, options?: RequestOptions): Answer<Order> {
    return this.send(
      {
        operation: "placeOrder",
        verb: "POST",
        path: "/orders",
        body,
        takesKey: true,
        exact: { max_amount: "amount" },
      },
      options,
    );
  }

  /**
   * List the orders that you placed. Newest first, unless `sort` says otherwise. All filters have to match.
   * `GET /exports/orders.csv` and `GET /exports/received-orders.csv` have all rows of a query as a table. A
   * key needs `orders:read`.
   */
  list(query?: OrdersListQuery, options?: RequestOptions): PagePromise<ListedOrder, OrderPage> {
    return this.sendPage(
      {
        operation: "listOrders",
        verb: "GET",
        path: "/orders",
        query,
        exact: { min_amount: "amount", max_amount: "amount" },
      },
      options,
    );
  }

  /**
   * Count the orders that you placed by status. Takes the filters of the list. Each status has a count,
   * which may be 0. A key needs `orders:read`.
   */
  counts(query?: OrdersCountsQuery, options?: RequestOptions): Answer<StatusCounts> {
    return this.send(
      {
        operation: "countOrders",
        verb: "GET",
        path: "/orders/counts",
        query,
        exact: { min_amount: "amount", max_amount: "amount" },
      },
      options,
    );
  }

  /**
   * List the orders that your agents received. Newest first, unless `sort` says otherwise. All filters have
   * to match. `GET /exports/orders.csv` and `GET /exports/received-orders.csv` have all rows of a query as a
   * table. A key needs `orders:read`.
   */
  listReceived(
    query?: OrdersListReceivedQuery,
    options?: RequestOptions,
  ): PagePromise<ListedOrder, OrderPage> {
    return this.sendPage(
      {
        operation: "listReceivedOrders",
        verb: "GET",
        path: "/orders/received",
        query,
        exact: { min_amount: "amount", max_amount: "amount" },
      },
      options,
    );
  }

  /**
   * Count the orders that your agents received by status. Takes the filters of the list. Each status has a
   * count, which may be 0. A key needs `orders:read`.
   */
  receivedCounts(query?: OrdersReceivedCountsQuery, options?: RequestOptions): Answer<StatusCounts> {
    return this.send(
      {
        operation: "countReceivedOrders",
        verb: "GET",
        path: "/orders/received/counts",
        query,
        exact: { min_amount: "amount", max_amount: "amount" },
      },
      options,
    );
  }

  /** Read an order that you placed, received or arbitrate. A key needs `orders:read`. */
  get(orderId: string, options?: RequestOptions): Answer<Order> {
    return this.send({ operation: "readOrder", verb: "GET", path: path`/orders/${orderId}` }, options);
  }

  /**
   * Read the agreement of an order. The body is the canonical JSON (RFC 8785) of the agreement. The SHA-256
   * of its bytes is the escrow's `orderHash`, which the header `X-Order-Hash` repeats. After an erasure of
   * the provider (`erased_at` of the order), words are missing, and the header alone has the hash. A key
   * needs `orders:read`.
   */
  getAgreement(orderId: string, options?: RequestOptions): Answer<Agreement> {
    return this.send(
      { operation: "readAgreement", verb: "GET", path: path`/orders/${orderId}/agreement` },
      options,
    );
  }

  /**
   * Approve or refuse an order. Needs a session of an owner or admin of the buyer. A decision is final. Any
   * unfunded order can be approved, so that its key may pay more than its limit. A refused order expires and
   * stops counting against the limits of its key. `GET /orders?approval=pending` lists the orders that wait.
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
   * End a session by both signatures. Takes the signatures of buyer and provider from either party and sends
   * them to the contract, which pays both at once. The service pays the gas, once for each party. A repeated
   * request gets the same relay. After a failed relay, send the newest voucher instead. A key needs
   * `orders:write`.
   */
  close(orderId: string, body: CloseRequest, options?: RequestOptions): Answer<RelayAnswer> {
    return this.send(
      {
        operation: "relayClose",
        verb: "POST",
        path: path`/orders/${orderId}/close`,
        body,
        takesKey: true,
        exact: { deadline: "uint256" },
      },
      options,
    );
  }

  /**
   * Deliver the output. The order must be started. A disputed order can be delivered too, until its delivery
   * deadline or a decision, and stays disputed. An output that does not fit the frozen schema is refused,
   * and the order does not change. Auto-release also needs the delivery on the chain: sign
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

  /** Read the typed data that records the delivery on the chain. A key needs `orders:read`. */
  getDeliveryRecordToSign(orderId: string, options?: RequestOptions): Answer<DataToSign> {
    return this.send(
      { operation: "readDeliveryRecord", verb: "GET", path: path`/orders/${orderId}/delivery-record` },
      options,
    );
  }

  /**
   * Record the delivery on the chain. Takes the provider's signature of the typed data and sends it to the
   * contract. The service pays the gas. A repeated request gets the same relay. `delivery.recorded` in the
   * trail confirms the record. A key needs `orders:write`.
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
   * List the trail of an order, oldest first. The first 16 returned deposits and delivery records have an
   * entry each. Further ones share an entry, whose data have their number as `times`. Unconfirmed entries
   * come last. A key needs `orders:read`.
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
   * List the executions of an order at your endpoint. At most two: one of the order, and one of the revision
   * that its buyer requested. A key needs `orders:read`.
   */
  listExecutions(orderId: string, options?: RequestOptions): Answer<Executions> {
    return this.send(
      { operation: "listExecutions", verb: "GET", path: path`/orders/${orderId}/executions` },
      options,
    );
  }

  /** Read the last payment of an order. A key needs `orders:read`. */
  getPayment(orderId: string, options?: RequestOptions): Answer<LatestPaymentAnswer> {
    return this.send(
      { operation: "readPayment", verb: "GET", path: path`/orders/${orderId}/payment` },
      options,
    );
  }

  /**
   * Pay an order by x402. Speaks x402 v2, so any x402 client can pay. Without a payment, the answer is 402
   * with the requirements: in the header `PAYMENT-REQUIRED`, and in the body beside the usual `error`. A
   * payment is in the header `PAYMENT-SIGNATURE`, which has precedence, or in the JSON body. The body is
   * x402's `PaymentPayload`, or `signature` with `authorization` (the message of `typed_data`) or
   * `receiveAuthorization` (that of `receive_authorization`). The service verifies the payment, relays it
   * into the escrow and pays the gas. A repeated payment gets the same answer. A refused payment is not
   * used: the answer is 402 with the reason. Only the event `order.funded` and the trail say that the order
   * is funded. A key needs `orders:write`.
   */
  pay(orderId: string, body?: PaymentSubmission, options?: RequestOptions): Answer<PaymentAnswer> {
    return this.send(
      { operation: "payOrder", verb: "POST", path: path`/orders/${orderId}/payment`, body, takesKey: true },
      options,
    );
  }

  /**
   * Read the payment instructions of an order. Chain, contract, token and exact amount. For the rail escrow,
   * the two calls for the buyer's wallet; for x402, the payment requirements and the typed data to sign.
   * Only the event `order.funded` and the trail say that the order is funded. A key needs `orders:read`.
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
   * Compare an order in ledger, index and contract. Reads the contract too. To trust nobody, read the
   * contract yourself. Unconfirmed or unindexed events are lags, listed with `expected_to_resolve: true`. A
   * key needs `orders:read`.
   */
  reconcile(orderId: string, options?: RequestOptions): Answer<Reconciliation> {
    return this.send(
      { operation: "reconcileOrder", verb: "GET", path: path`/orders/${orderId}/reconcile` },
      options,
    );
  }

  /** Read the typed data that refunds the money. A key needs `orders:read`. */
  getRefundToSign(orderId: string, options?: RequestOptions): Answer<DataToSign> {
    return this.send(
      { operation: "readRefundToSign", verb: "GET", path: path`/orders/${orderId}/refund` },
      options,
    );
  }

  /**
   * Refund the money to the buyer. Takes the party's signature of the typed data, with its `deadline`, and
   * sends it to the contract. The service pays the gas. A repeated request gets the same relay. The trail
   * shows the result. A key needs `orders:write`.
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

  /** Read the typed data that releases the money. A key needs `orders:read`. */
  getReleaseToSign(orderId: string, options?: RequestOptions): Answer<DataToSign> {
    return this.send(
      { operation: "readReleaseToSign", verb: "GET", path: path`/orders/${orderId}/release` },
      options,
    );
  }

  /**
   * Release the money to the provider. Takes the party's signature of the typed data, with its `deadline`,
   * and sends it to the contract. The service pays the gas. A repeated request gets the same relay. The
   * trail shows the result. A key needs `orders:write`.
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
   * Request a revision of a delivery. Possible once. The order returns to the status `started`, and the
   * provider delivers again. `auto_release_at` and `delivery_deadline` do not change. A key needs
   * `orders:write`.
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
   * List what each party may do on the chain now. Every action has its raw contract call, so nobody needs
   * this service to reach their money. An unavailable action has a reason, and a time if it only has to
   * wait. A key needs `orders:read`.
   */
  getSettlementOptions(orderId: string, options?: RequestOptions): Answer<SettlementOptions> {
    return this.send(
      { operation: "readSettlementOptions", verb: "GET", path: path`/orders/${orderId}/settlement-options` },
      options,
    );
  }

  /**
   * List the stages of an order with their outputs. The list is empty for an order without stages. A key
   * needs `orders:read`.
   */
  listStages(orderId: string, options?: RequestOptions): Answer<OrderStages> {
    return this.send(
      { operation: "listOrderStages", verb: "GET", path: path`/orders/${orderId}/stages` },
      options,
    );
  }

  /** Start a funded order. A key needs `orders:write`. */
  start(orderId: string, options?: RequestOptions): Answer<Order> {
    return this.send(
      { operation: "startOrder", verb: "POST", path: path`/orders/${orderId}/start`, takesKey: true },
      options,
    );
  }

  /**
   * Pay a session's calls by the newest voucher. Takes the buyer's newest voucher from either party and
   * sends it to the contract, which pays the provider at once. The service pays the gas. The same request
   * again gets the same relay. `order.part_released` in the trail confirms the payment. A key needs
   * `orders:write`.
   */
  useVoucher(orderId: string, body: VoucherRequest, options?: RequestOptions): Answer<RelayAnswer> {
    return this.send(
      {
        operation: "relayVoucher",
        verb: "POST",
        path: path`/orders/${orderId}/voucher`,
        body,
        takesKey: true,
      },
      options,
    );
  }

  /**
   * Open a session of calls. Places the order of a `per_call` service whose total is the session's balance.
   * No money moves: pay it as any order. Each call then goes to the `endpoint_url` of the agreement with a
   * voucher; see docs/sessions.md. A key needs `orders:write`.
   */
  openSession(serviceId: string, body: SessionRequest, options?: RequestOptions): Answer<Order> {
    return this.send(
      {
        operation: "openCalls",
        verb: "POST",
        path: path`/services/${serviceId}/sessions`,
        body,
        takesKey: true,
        exact: { balance: "amount" },
      },
      options,
    );
  }
}
