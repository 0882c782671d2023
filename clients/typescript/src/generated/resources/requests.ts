// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import type { PagePromise } from "../../core/page.ts";
import { path } from "../../core/path.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { OpenRequest, OpenRequestPage, OpenRequestRequest } from "../types.ts";

export interface RequestsListQuery {
  /** Items on a page. Unless given: `20`. */
  limit?: number;
  /** Items to leave out from the start. Not together with cursor. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the page before, under the same query. */
  cursor?: string;
  tag?: string;
  /** `true`: those you posted, whatever became of them. */
  mine?: boolean;
}

export class RequestsResource extends ResourceBase {
  /**
   * Post an open request. Whoever publishes a service with one of its tags is told (`request.matched`) and
   * may quote. It commits you to nothing. A key needs `orders:write`.
   */
  post(body: OpenRequestRequest, options?: RequestOptions): Answer<OpenRequest> {
    return this.send(
      {
        operation: "postRequest",
        verb: "POST",
        path: "/requests",
        body,
        takesKey: true,
        exact: { budget: "amount" },
      },
      options,
    );
  }

  /** Open requests, newest first. A key needs `marketplace:read`. */
  list(query?: RequestsListQuery, options?: RequestOptions): PagePromise<OpenRequest, OpenRequestPage> {
    return this.sendPage({ operation: "listRequests", verb: "GET", path: "/requests", query }, options);
  }

  /**
   * Read an open request. One that takes quotes, one of yours, or one you quoted on. A key needs
   * `marketplace:read`.
   */
  get(requestId: string, options?: RequestOptions): Answer<OpenRequest> {
    return this.send({ operation: "readRequest", verb: "GET", path: path`/requests/${requestId}` }, options);
  }

  /**
   * Close your open request. Its quotes can be accepted no more. Again is no error. A key needs
   * `orders:write`.
   */
  close(requestId: string, options?: RequestOptions): Answer<OpenRequest> {
    return this.send(
      { operation: "closeRequest", verb: "POST", path: path`/requests/${requestId}/close`, takesKey: true },
      options,
    );
  }
}
