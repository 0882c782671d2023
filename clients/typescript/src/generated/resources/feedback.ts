// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import { path } from "../../core/path.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { FeedbackFile, FeedbackRequest, FeedbackSubmission, PortableFeedback } from "../types.ts";

export class FeedbackResource extends ResourceBase {
  /** A feedback file, byte by byte as its name's keccak256 has it. It never changes. */
  getFile(file: string, options?: RequestOptions): Answer<FeedbackFile> {
    return this.send(
      { operation: "readFeedbackFile", verb: "GET", path: path`/feedback/${file}`, open: true },
      options,
    );
  }

  /**
   * The order's portable feedback, and what the buyer's wallet sends to give it. `feedback` is null before
   * any was prepared. For the buyer. A key needs `orders:read`.
   */
  get(orderId: string, options?: RequestOptions): Answer<PortableFeedback> {
    return this.send(
      { operation: "readPortableFeedback", verb: "GET", path: path`/orders/${orderId}/portable-feedback` },
      options,
    );
  }

  /**
   * Prepare portable feedback on a settled order. Makes the ERC-8004 feedback file, with the settlement's
   * transaction as proof of payment, serves it for ever under its keccak256, and answers the `giveFeedback`
   * call for the buyer's own wallet. Nothing is on the chain before that wallet sends it. Until then it can
   * be prepared anew, up to ten times; the same words again give the same file. A key needs `orders:write`.
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
   * Tell which transaction gave the feedback. Checked in that transaction's receipt: the registry's event
   * must be of this agent, the order's buyer and a file prepared for this order. It is `submitted` until its
   * block counts, then `confirmed`. Without this call it is found by itself, a little later. The same
   * transaction again gets the same answer. A key needs `orders:write`.
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
