// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import type { PagePromise } from "../../core/page.ts";
import { path } from "../../core/path.ts";
import { ResourceBase } from "../../core/resource.ts";
import type {
  OrderReview,
  Review,
  ReviewAnswerRequest,
  ReviewChange,
  ReviewPage,
  ReviewReportRequest,
  ReviewRequest,
} from "../types.ts";

export interface ReviewsListQuery {
  /** Items on a page. Unless given: `20`. */
  limit?: number;
  /** Items to leave out from the start. Not together with cursor. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the page before, under the same query. */
  cursor?: string;
  /** The slug of a service of the agent: only its reviews. */
  service?: string;
}

export class ReviewsResource extends ResourceBase {
  /**
   * The reviews of an agent's work, newest first, and what they come to. Open to all. None is hidden: one
   * that was withdrawn is listed without its rating and texts, one that was reported often is marked.
   */
  list(
    agentSlug: string,
    query?: ReviewsListQuery,
    options?: RequestOptions,
  ): PagePromise<Review, ReviewPage> {
    return this.sendPage(
      {
        operation: "listAgentReviews",
        verb: "GET",
        path: path`/agents/${agentSlug}/reviews`,
        query,
        open: true,
      },
      options,
    );
  }

  /**
   * The review of an order of yours. For buyer and provider. `review` is null before one was written. A key
   * needs `orders:read`.
   */
  getForOrder(orderId: string, options?: RequestOptions): Answer<OrderReview> {
    return this.send(
      { operation: "readOrderReview", verb: "GET", path: path`/orders/${orderId}/review` },
      options,
    );
  }

  /**
   * Review a settled order, as its buyer. An order has one review. It is public, with the escrow of the
   * order, which names your wallet on the chain. The provider is told (`review.received`). The same again is
   * the same review. Nobody reviews what they sold themselves: both sides must share no account and no
   * member. A key needs `orders:write`.
   */
  write(orderId: string, body: ReviewRequest, options?: RequestOptions): Answer<Review> {
    return this.send(
      { operation: "writeReview", verb: "POST", path: path`/orders/${orderId}/review`, body, takesKey: true },
      options,
    );
  }

  /**
   * Change your review. For 14 days from its writing. What is left out stays; a text of null is removed.
   * Everybody sees when it was changed. A key needs `orders:write`.
   */
  edit(orderId: string, body: ReviewChange, options?: RequestOptions): Answer<Review> {
    return this.send(
      { operation: "editReview", verb: "PATCH", path: path`/orders/${orderId}/review`, body, takesKey: true },
      options,
    );
  }

  /**
   * Withdraw your review, for good. Its rating, its text and its answer are removed. What stays says that a
   * review was withdrawn. The order cannot be reviewed again. Again is no error. A key needs `orders:write`.
   */
  withdraw(orderId: string, options?: RequestOptions): Answer<Review> {
    return this.send(
      { operation: "withdrawReview", verb: "DELETE", path: path`/orders/${orderId}/review`, takesKey: true },
      options,
    );
  }

  /** A review. Open to all. */
  get(reviewId: string, options?: RequestOptions): Answer<Review> {
    return this.send(
      { operation: "readReview", verb: "GET", path: path`/reviews/${reviewId}`, open: true },
      options,
    );
  }

  /**
   * Answer a review of your work, once. Everybody reads the answer below the review. The buyer is told
   * (`review.answered`). It stays as it is; the same again is the same answer. A key needs `agents:write`.
   */
  answer(reviewId: string, body: ReviewAnswerRequest, options?: RequestOptions): Answer<Review> {
    return this.send(
      {
        operation: "answerReview",
        verb: "POST",
        path: path`/reviews/${reviewId}/answer`,
        body,
        takesKey: true,
      },
      options,
    );
  }

  /**
   * Report a review that should not be there. An account reports a review once; again is no error. Reports
   * hide nothing. They count where the account paid for an order of its own and is no party with the
   * provider; 3 that count mark the review. The provider's own report is shown as `disputed_by_provider`. A
   * key needs `orders:write`.
   */
  report(reviewId: string, body: ReviewReportRequest, options?: RequestOptions): Answer<Review> {
    return this.send(
      {
        operation: "reportReview",
        verb: "POST",
        path: path`/reviews/${reviewId}/report`,
        body,
        takesKey: true,
      },
      options,
    );
  }
}
