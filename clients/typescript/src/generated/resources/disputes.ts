// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import type { PagePromise } from "../../core/page.ts";
import { path } from "../../core/path.ts";
import { ResourceBase } from "../../core/resource.ts";
import type {
  Amount,
  DecisionRequest,
  DecisionToSign,
  Dispute,
  DisputeIntentRequest,
  DisputeRequest,
  ListedOrder,
  Order,
  OrderPage,
  RelayAnswer,
  Statement,
  StatementRequest,
} from "../types.ts";

export interface DisputesListQuery {
  /** Items on a page. Unless given: `20`. */
  limit?: number;
  /** Items to leave out from the start. Not together with cursor. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the page before, under the same query. */
  cursor?: string;
  /** `payloads` gives each order's `input_payload` and `output_payload`, and pages of at most 10. */
  include?: "payloads";
  /** `true`: those that are not settled yet; `false`: those that are. */
  open?: boolean;
}

export interface DisputesGetQuery {
  /** Goes into `typed_data`. */
  reason_hash?: string;
}

export interface DisputesGetDecisionToSignQuery {
  /** What the provider gets, a decimal; the rest of the escrow goes back to the buyer. */
  provider_amount: Amount;
  /** The SHA-256 of the text's UTF-8 bytes; all zero where there is no text. */
  ruling_hash?: string;
}

export class DisputesResource extends ResourceBase {
  /** The disputed orders whose arbiter is a wallet of yours, newest dispute first. A key needs `orders:read`. */
  list(query?: DisputesListQuery, options?: RequestOptions): PagePromise<ListedOrder, OrderPage> {
    return this.sendPage({ operation: "listDisputes", verb: "GET", path: "/disputes", query }, options);
  }

  /**
   * Have the escrow disputed. Takes the party's signature of the typed data, with its `deadline`, and sends
   * it; the service pays the gas. The same request again gives the same relay. What became of it is in the
   * trail. A key needs `orders:write`.
   */
  open(orderId: string, body: DisputeRequest, options?: RequestOptions): Answer<RelayAnswer> {
    return this.send(
      {
        operation: "disputeOrder",
        verb: "POST",
        path: path`/orders/${orderId}/dispute`,
        body,
        takesKey: true,
        exact: { deadline: "uint256" },
      },
      options,
    );
  }

  /**
   * An order's dispute with all its evidence, and what a party signs to open one. For both parties at any
   * time, and for the arbiter from the confirmed dispute on. The evidence is one bundle with one digest,
   * which a ruling can name. A key needs `orders:read`.
   */
  get(orderId: string, query?: DisputesGetQuery, options?: RequestOptions): Answer<Dispute> {
    return this.send(
      { operation: "readDispute", verb: "GET", path: path`/orders/${orderId}/dispute`, query },
      options,
    );
  }

  /**
   * Tell the other party that you mean to dispute, and why. Once for each party. It is a word only: the
   * status stays, and no clock stops, auto-release included. Only `dispute`, on the chain, holds the money.
   * A key needs `orders:write`.
   */
  signal(orderId: string, body: DisputeIntentRequest, options?: RequestOptions): Answer<Order> {
    return this.send(
      {
        operation: "signalDispute",
        verb: "POST",
        path: path`/orders/${orderId}/dispute-intent`,
        body,
        takesKey: true,
      },
      options,
    );
  }

  /** What the arbiter signs, or sends, to decide a dispute. A key needs `orders:read`. */
  getDecisionToSign(
    orderId: string,
    query: DisputesGetDecisionToSignQuery,
    options?: RequestOptions,
  ): Answer<DecisionToSign> {
    return this.send(
      {
        operation: "readDecisionToSign",
        verb: "GET",
        path: path`/orders/${orderId}/dispute/decision`,
        query,
        exact: { provider_amount: "amount" },
      },
      options,
    );
  }

  /**
   * Have a dispute decided. Takes the arbiter's signature of the typed data and sends it; the service pays
   * the gas. The same request again gives the same relay. That it is decided is known by the trail's
   * `order.dispute_decided`; anyone may settle it once the appeal window is over. A key needs
   * `orders:write`.
   */
  decide(orderId: string, body: DecisionRequest, options?: RequestOptions): Answer<RelayAnswer> {
    return this.send(
      {
        operation: "decideDispute",
        verb: "POST",
        path: path`/orders/${orderId}/dispute/decision`,
        body,
        takesKey: true,
        exact: { provider_amount: "amount", deadline: "uint256" },
      },
      options,
    );
  }

  /**
   * Say something about a dispute, for the other party and the arbiter to read. Both parties and the arbiter
   * may, until the escrow is paid out, each 20 times at most. What was said stays as it is. The same again
   * is the same statement. A key needs `orders:write`.
   */
  addStatement(orderId: string, body: StatementRequest, options?: RequestOptions): Answer<Statement> {
    return this.send(
      {
        operation: "stateOnDispute",
        verb: "POST",
        path: path`/orders/${orderId}/dispute/statements`,
        body,
        takesKey: true,
      },
      options,
    );
  }
}
