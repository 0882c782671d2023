// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { RequestOptions } from "../../core/call.ts";
import type { PagePromise } from "../../core/page.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { AuditEntry, AuditPage } from "../types.ts";

export interface AuditListQuery {
  /** Items on a page. Unless given: `20`. */
  limit?: number;
  /** Items to leave out from the start. Not together with cursor. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the page before, under the same query. */
  cursor?: string;
}

export class AuditResource extends ResourceBase {
  /**
   * What was done to your credentials and wallets, newest first. Sessions, API keys, wallets, payout
   * wallets, webhook secrets and members. Written in the transaction of what it tells of, and never changed.
   */
  list(query?: AuditListQuery, options?: RequestOptions): PagePromise<AuditEntry, AuditPage> {
    return this.sendPage({ operation: "listAudit", verb: "GET", path: "/audit", query }, options);
  }
}
