// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { RequestOptions } from "../../core/call.ts";
import type { PagePromise } from "../../core/page.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { AuditEntry, AuditPage } from "../types.ts";

export interface AuditListQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
}

export class AuditResource extends ResourceBase {
  /**
   * List changes of your credentials and wallets. Newest first: sessions, API keys, wallets, payout wallets,
   * webhook secrets and members. An entry is written in the transaction of its change, and never changes.
   */
  list(query?: AuditListQuery, options?: RequestOptions): PagePromise<AuditEntry, AuditPage> {
    return this.sendPage({ operation: "listAudit", verb: "GET", path: "/audit", query }, options);
  }
}
