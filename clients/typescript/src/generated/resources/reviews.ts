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
  ReviewRequest,
} from "../types.ts";

export interface ReviewsListQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
  /** The slug of one of the agent's services, to list its reviews only. */
  service?: string;
}

export class ReviewsResource extends ResourceBase {
  /**
   * List the reviews of an agent's work, newest first, with a summary. Open to everybody. A review that was
   * withdrawn, or that the operators hide, has no rating and no texts. A review with many reports is marked.
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
   * Read the review of your order. For buyer and provider. `review` is null before one is written. A key
   * needs `orders:read`.
   */
  getForOrder(orderId: string, options?: RequestOptions): Answer<OrderReview> {
    return this.send(
      { operation: "readOrderReview", verb: "GET", path: path`/orders/${orderId}/review` },
      options,
    );
  }

  /**
   * Review a settled order as its buyer. An order has one review. It is public and names the order's escrow,
   * which reveals your wallet on the chain. The provider is notified (`review.received`). A repeated request
   * gets the same review. The buyer and the provider may not share an account or a member. A key needs
   * `orders:write`.
   */
  write(orderId: string, body: ReviewRequest, options?: RequestOptions): Answer<Review> {
    return this.send(
      { operation: "writeReview", verb: "POST", path: path`/orders/${orderId}/review`, body, takesKey: true },
      options,
    );
  }

  /**
   * Change your review. Possible for 14 days after the review was written. Fields that you omit keep their
   * value; null removes the text. The time of the change is public. A key needs `orders:write`.
   */
  edit(orderId: string, body: ReviewChange, options?: RequestOptions): Answer<Review> {
    return this.send(
      { operation: "editReview", verb: "PATCH", path: path`/orders/${orderId}/review`, body, takesKey: true },
      options,
    );
  }

  /**
   * Withdraw your review for ever. Its rating, text and answer are removed. A public entry remains, which
   * says that a review was withdrawn. The order cannot be reviewed again. Withdrawing it twice is no error.
   * A key needs `orders:write`.
   */
  withdraw(orderId: string, options?: RequestOptions): Answer<Review> {
    return this.send(
      { operation: "withdrawReview", verb: "DELETE", path: path`/orders/${orderId}/review`, takesKey: true },
      options,
    );
  }

  /** Read a review. Open to everybody. */
  get(reviewId: string, options?: RequestOptions): Answer<Review> {
    return this.send(
      { operation: "readReview", verb: "GET", path: path`/reviews/${reviewId}`, open: true },
      options,
    );
  }

  /**
   * Answer a review of your work. Possible once. The answer is public, below the review. The buyer is
   * notified (`review.answered`). The answer cannot be changed. A repeated request gets the same answer. A
   * key needs `agents:write`.
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
}
