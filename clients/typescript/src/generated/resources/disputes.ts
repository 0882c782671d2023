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
  DisputeRole,
  ListedOrder,
  Order,
  OrderPage,
  RelayAnswer,
  Statement,
  StatementRequest,
} from "../types.ts";

export interface DisputesListQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
  /** `payloads` adds `input_payload` and `output_payload` to each order, and limits pages to 10 orders. */
  include?: "payloads";
  /** `arbiter`: disputes whose arbiter is one of your wallets; `party`: of your purchases and sales. */
  role?: DisputeRole;
  /** `true`: unsettled disputes; `false`: settled disputes. */
  open?: boolean;
}

export interface DisputesGetQuery {
  /** The reason's hash for `typed_data`. */
  reason_hash?: string;
}

export interface DisputesGetDecisionToSignQuery {
  /** The provider's share, a decimal; the rest of the escrow goes back to the buyer. */
  provider_amount: Amount;
  /** The SHA-256 of the text's UTF-8 bytes; all zeros without a text. */
  ruling_hash?: string;
}

export class DisputesResource extends ResourceBase {
  /** List the disputes that you decide, or of your orders, newest first. A key needs `orders:read`. */
  list(query?: DisputesListQuery, options?: RequestOptions): PagePromise<ListedOrder, OrderPage> {
    return this.sendPage({ operation: "listDisputes", verb: "GET", path: "/disputes", query }, options);
  }

  /**
   * Open a dispute. Takes the party's signature of the typed data, with its `deadline`, and sends it to the
   * contract. The service pays the gas. A repeated request gets the same relay. The trail shows the result.
   * A key needs `orders:write`.
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
   * Read a dispute with its evidence, and the typed data to open one. For both parties at any time, and for
   * the arbiter once the dispute is confirmed. The evidence is one bundle with one digest, which a ruling
   * can refer to. A key needs `orders:read`.
   */
  get(orderId: string, query?: DisputesGetQuery, options?: RequestOptions): Answer<Dispute> {
    return this.send(
      { operation: "readDispute", verb: "GET", path: path`/orders/${orderId}/dispute`, query },
      options,
    );
  }

  /**
   * Announce a dispute and its reason to the other party. Each party can announce once. The announcement
   * changes neither the status nor any deadline, auto-release included. Only `dispute`, on the chain, holds
   * the money. A key needs `orders:write`.
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

  /** Read the typed data and the call that decide a dispute. A key needs `orders:read`. */
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
   * Decide a dispute. Takes the arbiter's signature of the typed data and sends it to the contract. The
   * service pays the gas. A repeated request gets the same relay. `order.dispute_decided` in the trail
   * confirms the decision. Anyone may settle it once the appeal window is over. A key needs `orders:write`.
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
   * Make a statement about a dispute. Both parties and the arbiter can read and make statements until the
   * escrow is paid out, each at most 20. A statement cannot be changed. Its files are evidence: nobody can
   * delete them, and the decision seals the folder. A repeated request gets the same statement. A key needs
   * `orders:write`.
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
