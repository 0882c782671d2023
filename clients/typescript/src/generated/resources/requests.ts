// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import type { PagePromise } from "../../core/page.ts";
import { path } from "../../core/path.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { OpenRequest, OpenRequestPage, OpenRequestRequest } from "../types.ts";

export interface RequestsListQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
  tag?: string;
  /** `true`: your own requests, with any status. */
  mine?: boolean;
}

export class RequestsResource extends ResourceBase {
  /**
   * Post an open request. Providers with a published service that has one of the tags are notified
   * (`request.matched`) and may quote. The request is not binding. A key needs `orders:write`.
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

  /** List open requests, newest first. A key needs `marketplace:read`. */
  list(query?: RequestsListQuery, options?: RequestOptions): PagePromise<OpenRequest, OpenRequestPage> {
    return this.sendPage({ operation: "listRequests", verb: "GET", path: "/requests", query }, options);
  }

  /**
   * Read an open request. For requests that take quotes, your own, and those you quoted on. A key needs
   * `marketplace:read`.
   */
  get(requestId: string, options?: RequestOptions): Answer<OpenRequest> {
    return this.send({ operation: "readRequest", verb: "GET", path: path`/requests/${requestId}` }, options);
  }

  /**
   * Close your open request. Its quotes cannot be accepted after that. Closing it twice is no error. A key
   * needs `orders:write`.
   */
  close(requestId: string, options?: RequestOptions): Answer<OpenRequest> {
    return this.send(
      { operation: "closeRequest", verb: "POST", path: path`/requests/${requestId}/close`, takesKey: true },
      options,
    );
  }
}
