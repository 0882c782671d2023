// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import type { PagePromise } from "../../core/page.ts";
import { path } from "../../core/path.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { Key, KeyChanges, KeyPage, KeyRequest, NewKey, Scopes, Spend } from "../types.ts";

export interface ApiKeysListQuery {
  /** Items on a page. Unless given: `20`. */
  limit?: number;
  /** Items to leave out from the start. Not together with cursor. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the page before, under the same query. */
  cursor?: string;
  /** The account of their maker. */
  created_by?: string;
}

export class ApiKeysResource extends ResourceBase {
  /** Make an API key. */
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

  /** List your API keys. Newest first, without the revoked ones; those that expired are among them. */
  list(query?: ApiKeysListQuery, options?: RequestOptions): PagePromise<Key, KeyPage> {
    return this.sendPage({ operation: "listKeys", verb: "GET", path: "/api-keys", query }, options);
  }

  /** List the scopes a key may carry. */
  listScopes(options?: RequestOptions): Answer<Scopes> {
    return this.send({ operation: "listScopes", verb: "GET", path: "/api-keys/scopes" }, options);
  }

  /**
   * Change an API key's limits, end or networks. Holds from the next order on; what the key has spent stays
   * counted. A key that expired or was revoked is not changed: make another.
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
   * What your API keys have spent, and have left. A key sees itself, a session every key that is taken,
   * newest first. Days and months are those of UTC. What is given back counts for the day on which it was
   * spent.
   */
  getSpend(options?: RequestOptions): Answer<Spend> {
    return this.send({ operation: "readSpend", verb: "GET", path: "/me/spend" }, options);
  }
}
