// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import type { PagePromise } from "../../core/page.ts";
import { path } from "../../core/path.ts";
import { ResourceBase } from "../../core/resource.ts";
import type {
  ListedService,
  Party,
  PaymentRecord,
  PaymentRecordPage,
  ServicePage,
  SettlementClaim,
  Subscription,
  SubscriptionOrder,
  SubscriptionOrderPage,
  SubscriptionPage,
  SubscriptionRequest,
  SubscriptionStatus,
} from "../types.ts";

export interface SubscriptionsExportPaymentsQuery {
  /** Yours in the order. */
  role?: Party;
  claim?: SettlementClaim;
  /** Recorded at or after. */
  since?: string;
  /** Recorded before. */
  until?: string;
}

export interface SubscriptionsListQuery {
  /** Items on a page. Unless given: `20`. */
  limit?: number;
  /** Items to leave out from the start. Not together with cursor. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the page before, under the same query. */
  cursor?: string;
  status?: SubscriptionStatus;
}

export interface SubscriptionsListMineQuery {
  /** Items on a page. Unless given: `20`. */
  limit?: number;
  /** Items to leave out from the start. Not together with cursor. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the page before, under the same query. */
  cursor?: string;
  status?: SubscriptionStatus;
}

export interface SubscriptionsListPaymentsQuery {
  /** Items on a page. Unless given: `20`. */
  limit?: number;
  /** Items to leave out from the start. Not together with cursor. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the page before, under the same query. */
  cursor?: string;
  /** Yours in the order. */
  role?: Party;
  claim?: SettlementClaim;
  /** Recorded at or after. */
  since?: string;
  /** Recorded before. */
  until?: string;
}

export interface SubscriptionsListPlansQuery {
  /** Items on a page. Unless given: `20`. */
  limit?: number;
  /** Items to leave out from the start. Not together with cursor. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the page before, under the same query. */
  cursor?: string;
  /** An agent's slug. */
  agent?: string;
}

export interface SubscriptionsListOrdersQuery {
  /** Items on a page. Unless given: `20`. */
  limit?: number;
  /** Items to leave out from the start. Not together with cursor. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the page before, under the same query. */
  cursor?: string;
}

export class SubscriptionsResource extends ResourceBase {
  /**
   * The same table of your subscriptions' orders. CSV (RFC 4180, UTF-8, with a header) of all that the
   * filters leave, written as it is read. Its columns are the fields of `PaymentRecord`. A key needs
   * `subscriptions:read`.
   */
  exportPayments(query?: SubscriptionsExportPaymentsQuery, options?: RequestOptions): Answer<string> {
    return this.send(
      {
        operation: "exportSubscriptionPayments",
        verb: "GET",
        path: "/exports/subscription-payments.csv",
        root: true,
        accept: "text/csv",
        query,
      },
      options,
    );
  }

  /**
   * Subscribe to a plan. Places the first order at once and one more at the beginning of each period, each
   * unfunded: you are told by `order.created`, and pay those you want. Price, input and wallets stay as they
   * are now. Nothing is taken by itself. A key needs `orders:write`.
   */
  create(body: SubscriptionRequest, options?: RequestOptions): Answer<Subscription> {
    return this.send(
      { operation: "subscribe", verb: "POST", path: "/subscriptions", body, takesKey: true },
      options,
    );
  }

  /** Your subscriptions and those with your agents, newest first. A key needs `subscriptions:read`. */
  list(
    query?: SubscriptionsListQuery,
    options?: RequestOptions,
  ): PagePromise<Subscription, SubscriptionPage> {
    return this.sendPage(
      { operation: "listSubscriptions", verb: "GET", path: "/subscriptions", query },
      options,
    );
  }

  /** What you subscribed to, newest first. A key needs `subscriptions:read`. */
  listMine(
    query?: SubscriptionsListMineQuery,
    options?: RequestOptions,
  ): PagePromise<Subscription, SubscriptionPage> {
    return this.sendPage(
      { operation: "listOwnSubscriptions", verb: "GET", path: "/subscriptions/me", query },
      options,
    );
  }

  /**
   * The same of your subscriptions' orders. What the chain has confirmed and not taken back. Each row has a
   * receipt, which proves it: GET /receipts/{id}. A key needs `subscriptions:read`.
   */
  listPayments(
    query?: SubscriptionsListPaymentsQuery,
    options?: RequestOptions,
  ): PagePromise<PaymentRecord, PaymentRecordPage> {
    return this.sendPage(
      { operation: "listSubscriptionPayments", verb: "GET", path: "/subscriptions/me/payments", query },
      options,
    );
  }

  /**
   * What can be subscribed to, newest first. A plan is a service on offer whose pricing model is
   * `subscription`; its price is of one `interval`. A key needs `marketplace:read`.
   */
  listPlans(
    query?: SubscriptionsListPlansQuery,
    options?: RequestOptions,
  ): PagePromise<ListedService, ServicePage> {
    return this.sendPage(
      { operation: "listPlans", verb: "GET", path: "/subscriptions/plans", query },
      options,
    );
  }

  /** Read a subscription. A key needs `subscriptions:read`. */
  get(subscriptionId: string, options?: RequestOptions): Answer<Subscription> {
    return this.send(
      { operation: "readSubscription", verb: "GET", path: path`/subscriptions/${subscriptionId}` },
      options,
    );
  }

  /**
   * Cancel a subscription, from either side. No further order is placed. Those placed go on as any order.
   * Again is no error. A key needs `orders:write`.
   */
  cancel(subscriptionId: string, options?: RequestOptions): Answer<Subscription> {
    return this.send(
      {
        operation: "cancelSubscription",
        verb: "POST",
        path: path`/subscriptions/${subscriptionId}/cancel`,
        takesKey: true,
      },
      options,
    );
  }

  /** The orders of a subscription, newest first. A key needs `subscriptions:read`. */
  listOrders(
    subscriptionId: string,
    query?: SubscriptionsListOrdersQuery,
    options?: RequestOptions,
  ): PagePromise<SubscriptionOrder, SubscriptionOrderPage> {
    return this.sendPage(
      {
        operation: "listSubscriptionOrders",
        verb: "GET",
        path: path`/subscriptions/${subscriptionId}/orders`,
        query,
      },
      options,
    );
  }
}
