// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import type { PagePromise } from "../../core/page.ts";
import { path } from "../../core/path.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { Key, KeyPage, KeyRequest, NewKey, Scopes } from "../types.ts";

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
      { operation: "createKey", verb: "POST", path: "/api-keys", body, takesKey: true },
      options,
    );
  }

  /** List your API keys. Newest first, without the revoked ones. */
  list(query?: ApiKeysListQuery, options?: RequestOptions): PagePromise<Key, KeyPage> {
    return this.sendPage({ operation: "listKeys", verb: "GET", path: "/api-keys", query }, options);
  }

  /** List the scopes a key may carry. */
  listScopes(options?: RequestOptions): Answer<Scopes> {
    return this.send({ operation: "listScopes", verb: "GET", path: "/api-keys/scopes" }, options);
  }

  /** Revoke an API key. */
  revoke(keyId: string, options?: RequestOptions): Answer<Key> {
    return this.send(
      { operation: "revokeKey", verb: "DELETE", path: path`/api-keys/${keyId}`, takesKey: true },
      options,
    );
  }
}
