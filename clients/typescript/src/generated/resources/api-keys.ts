// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import type { PagePromise } from "../../core/page.ts";
import { path } from "../../core/path.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { Key, KeyChanges, KeyPage, KeyRequest, NewKey, Scopes, Spend } from "../types.ts";

export interface ApiKeysListQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
  /** The account of the creator. */
  created_by?: string;
}

export class ApiKeysResource extends ResourceBase {
  /** Create an API key. */
  create(body: KeyRequest, options?: RequestOptions): Answer<NewKey> {
    return this.send(
      {
        operation: "createKey",
        verb: "POST",
        path: "/api-keys",
        body,
        takesKey: true,
        exact: {
          limits: { per_order: "amount", per_day: "amount", per_month: "amount", approval_above: "amount" },
        },
      },
      options,
    );
  }

  /** List your API keys. Newest first. Expired keys are listed, revoked keys are not. */
  list(query?: ApiKeysListQuery, options?: RequestOptions): PagePromise<Key, KeyPage> {
    return this.sendPage({ operation: "listKeys", verb: "GET", path: "/api-keys", query }, options);
  }

  /** List the scopes of API keys. */
  listScopes(options?: RequestOptions): Answer<Scopes> {
    return this.send({ operation: "listScopes", verb: "GET", path: "/api-keys/scopes" }, options);
  }

  /**
   * Change the limits, expiry or networks of an API key. Applies from the next order on. Amounts that the
   * key has spent still count. An expired or revoked key cannot be changed: create another.
   */
  update(keyId: string, body: KeyChanges, options?: RequestOptions): Answer<Key> {
    return this.send(
      {
        operation: "changeKey",
        verb: "PATCH",
        path: path`/api-keys/${keyId}`,
        body,
        takesKey: true,
        exact: {
          limits: { per_order: "amount", per_day: "amount", per_month: "amount", approval_above: "amount" },
        },
      },
      options,
    );
  }

  /** Revoke an API key. */
  revoke(keyId: string, options?: RequestOptions): Answer<Key> {
    return this.send(
      { operation: "revokeKey", verb: "DELETE", path: path`/api-keys/${keyId}`, takesKey: true },
      options,
    );
  }

  /**
   * Read what your API keys have spent and have left. A key reads itself; a session reads every active key,
   * newest first. Days and months are in UTC. A refund counts for the day of the payment.
   */
  getSpend(options?: RequestOptions): Answer<Spend> {
    return this.send({ operation: "readSpend", verb: "GET", path: "/me/spend" }, options);
  }
}
