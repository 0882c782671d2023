// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import { path } from "../../core/path.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { FeedbackFile, FeedbackRequest, FeedbackSubmission, PortableFeedback } from "../types.ts";

export class FeedbackResource extends ResourceBase {
  /** Read a feedback file. The bytes match the keccak256 in the file's name and never change. */
  getFile(file: string, options?: RequestOptions): Answer<FeedbackFile> {
    return this.send(
      { operation: "readFeedbackFile", verb: "GET", path: path`/feedback/${file}`, open: true },
      options,
    );
  }

  /**
   * Read the portable feedback of an order. For the buyer. `feedback` is null until one is prepared. A key
   * needs `orders:read`.
   */
  get(orderId: string, options?: RequestOptions): Answer<PortableFeedback> {
    return this.send(
      { operation: "readPortableFeedback", verb: "GET", path: path`/orders/${orderId}/portable-feedback` },
      options,
    );
  }

  /**
   * Prepare portable feedback on a settled order. Writes the ERC-8004 feedback file, with the settlement's
   * transaction as proof of payment, and serves it for ever under its keccak256. The answer has the
   * `giveFeedback` call for the buyer's own wallet. Nothing is on the chain until that wallet sends the
   * call. Until then the feedback can be prepared again, up to ten times. The same content gives the same
   * file. A key needs `orders:write`.
   */
  prepare(orderId: string, body: FeedbackRequest, options?: RequestOptions): Answer<PortableFeedback> {
    return this.send(
      {
        operation: "preparePortableFeedback",
        verb: "POST",
        path: path`/orders/${orderId}/portable-feedback`,
        body,
        takesKey: true,
      },
      options,
    );
  }

  /**
   * Report the transaction that gave the feedback. The transaction's receipt must have the registry's event
   * for this agent, the order's buyer and a file of this order. The feedback is `submitted` until its block
   * is confirmed. Without this call, the service finds the event itself a little later. A repeated request
   * gets the same answer. A key needs `orders:write`.
   */
  submit(orderId: string, body: FeedbackSubmission, options?: RequestOptions): Answer<PortableFeedback> {
    return this.send(
      {
        operation: "submitPortableFeedback",
        verb: "POST",
        path: path`/orders/${orderId}/portable-feedback/submitted`,
        body,
        takesKey: true,
      },
      options,
    );
  }
}
