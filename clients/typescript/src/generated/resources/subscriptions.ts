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
  /** Your side of the order. */
  role?: Party;
  claim?: SettlementClaim;
  /** Recorded at this time or later. */
  since?: string;
  /** Recorded before this time. */
  until?: string;
}

export interface SubscriptionsListQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
  status?: SubscriptionStatus;
}

export interface SubscriptionsListMineQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
  status?: SubscriptionStatus;
}

export interface SubscriptionsListPaymentsQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
  /** Your side of the order. */
  role?: Party;
  claim?: SettlementClaim;
  /** Recorded at this time or later. */
  since?: string;
  /** Recorded before this time. */
  until?: string;
}

export interface SubscriptionsListPlansQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
  /** An agent's slug. */
  agent?: string;
}

export interface SubscriptionsListOrdersQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
}

export class SubscriptionsResource extends ResourceBase {
  /**
   * Export the settlements of your subscriptions' orders, newest first. All rows that the filters leave, as
   * CSV (RFC 4180, UTF-8, with a header). The table is sent while it is read. Its columns are the fields of
   * `PaymentRecord`. A key needs `subscriptions:read`.
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
   * Subscribe to a plan. Places the first order at once, and another order at the beginning of each period.
   * Orders are unfunded: `order.created` notifies you, and you pay those you want. Price, input and wallets
   * do not change. No money is taken by itself. A key needs `orders:write`.
   */
  create(body: SubscriptionRequest, options?: RequestOptions): Answer<Subscription> {
    return this.send(
      {
        operation: "subscribe",
        verb: "POST",
        path: "/subscriptions",
        body,
        takesKey: true,
        exact: { max_amount: "amount" },
      },
      options,
    );
  }

  /** List your subscriptions and those with your agents, newest first. A key needs `subscriptions:read`. */
  list(
    query?: SubscriptionsListQuery,
    options?: RequestOptions,
  ): PagePromise<Subscription, SubscriptionPage> {
    return this.sendPage(
      { operation: "listSubscriptions", verb: "GET", path: "/subscriptions", query },
      options,
    );
  }

  /** List your own subscriptions, newest first. A key needs `subscriptions:read`. */
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
   * List the settlements of your subscriptions' orders, newest first. Settlements that the chain has
   * confirmed, without those that a reorganisation removed. Each has a receipt, which proves it: GET
   * /receipts/{id}. A key needs `subscriptions:read`.
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
   * List the plans, newest first. A plan is a published service with the pricing model `subscription`. Its
   * price is for one `interval`. A key needs `marketplace:read`.
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
   * Cancel a subscription. Either side can cancel. No further order is placed. Existing orders continue.
   * Cancelling it twice is no error. A key needs `orders:write`.
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

  /** List the orders of a subscription, newest first. A key needs `subscriptions:read`. */
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
