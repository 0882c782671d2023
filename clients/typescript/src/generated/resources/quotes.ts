// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import type { PagePromise } from "../../core/page.ts";
import { path } from "../../core/path.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { Order, Quote, QuoteAcceptance, QuotePage, QuoteRequest } from "../types.ts";

export interface QuotesListQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
}

export interface QuotesListForRequestQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
}

export class QuotesResource extends ResourceBase {
  /** List the quotes you gave, newest first. A key needs `orders:read`. */
  list(query?: QuotesListQuery, options?: RequestOptions): PagePromise<Quote, QuotePage> {
    return this.sendPage({ operation: "listQuotes", verb: "GET", path: "/quotes", query }, options);
  }

  /** Read a quote that you gave or received. A key needs `orders:read`. */
  get(quoteId: string, options?: RequestOptions): Answer<Quote> {
    return this.send({ operation: "readQuote", verb: "GET", path: path`/quotes/${quoteId}` }, options);
  }

  /**
   * Accept a quote and place its order. The order has the quantity one, the quoted price and the quoted
   * delivery time. The request ends, and its other quotes are declined. No money moves: read the order's
   * payment instructions next. A key needs `orders:write`.
   */
  accept(quoteId: string, body: QuoteAcceptance, options?: RequestOptions): Answer<Order> {
    return this.send(
      {
        operation: "acceptQuote",
        verb: "POST",
        path: path`/quotes/${quoteId}/accept`,
        body,
        takesKey: true,
        exact: { max_amount: "amount" },
      },
      options,
    );
  }

  /**
   * Withdraw your quote. Possible until the quote is accepted. Withdrawing it twice is no error. A key needs
   * `orders:write`.
   */
  withdraw(quoteId: string, options?: RequestOptions): Answer<Quote> {
    return this.send(
      { operation: "withdrawQuote", verb: "POST", path: path`/quotes/${quoteId}/withdraw`, takesKey: true },
      options,
    );
  }

  /**
   * Quote on an open request. The author of the request is notified (`quote.received`). A service may have
   * one offered quote on a request: withdraw it to give another. A key needs `orders:write`.
   */
  give(requestId: string, body: QuoteRequest, options?: RequestOptions): Answer<Quote> {
    return this.send(
      {
        operation: "giveQuote",
        verb: "POST",
        path: path`/requests/${requestId}/quotes`,
        body,
        takesKey: true,
        exact: { price: "amount", stages: { amount: "amount" } },
      },
      options,
    );
  }

  /**
   * List the quotes on an open request, newest first. The author of the request sees all quotes; others see
   * their own. A key needs `orders:read`.
   */
  listForRequest(
    requestId: string,
    query?: QuotesListForRequestQuery,
    options?: RequestOptions,
  ): PagePromise<Quote, QuotePage> {
    return this.sendPage(
      { operation: "listRequestQuotes", verb: "GET", path: path`/requests/${requestId}/quotes`, query },
      options,
    );
  }
}
