// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import type { PagePromise } from "../../core/page.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { Party, PaymentRecord, PaymentRecordPage, PaymentSums, SettlementClaim } from "../types.ts";

export interface PaymentsExportQuery {
  /** Yours in the order. */
  role?: Party;
  claim?: SettlementClaim;
  /** Recorded at or after. */
  since?: string;
  /** Recorded before. */
  until?: string;
}

export interface PaymentsListQuery {
  /** Items on a page. Unless given: `20`. */
  limit?: number;
  /** Items to leave out from the start. Not together with cursor. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the page before, under the same query. */
  cursor?: string;
  /** Yours in the order. */
  role?: Party;
  claim?: SettlementClaim;
  /** Recorded at or after. */
  since?: string;
  /** Recorded before. */
  until?: string;
}

export interface PaymentsSumByMonthQuery {
  /** Yours in the order. */
  role?: Party;
  claim?: SettlementClaim;
  /** Recorded at or after. */
  since?: string;
  /** Recorded before. */
  until?: string;
}

export class PaymentsResource extends ResourceBase {
  /**
   * Every settlement of your orders as a table, newest first. CSV (RFC 4180, UTF-8, with a header) of all
   * that the filters leave, written as it is read. Its columns are the fields of `PaymentRecord`. A key
   * needs `subscriptions:read`.
   */
  export(query?: PaymentsExportQuery, options?: RequestOptions): Answer<string> {
    return this.send(
      {
        operation: "exportPayments",
        verb: "GET",
        path: "/exports/payments.csv",
        root: true,
        accept: "text/csv",
        query,
      },
      options,
    );
  }

  /**
   * Every settlement of your orders, newest first. What the chain has confirmed and not taken back. Each row
   * has a receipt, which proves it: GET /receipts/{id}. A key needs `subscriptions:read`.
   */
  list(query?: PaymentsListQuery, options?: RequestOptions): PagePromise<PaymentRecord, PaymentRecordPage> {
    return this.sendPage({ operation: "listPayments", verb: "GET", path: "/payments", query }, options);
  }

  /**
   * What you received and paid in each month, newest first. The exact sums of `GET /payments` under the same
   * filters, for each month of the blocks' times and each token. Movements of the other side alone are not
   * in them. A key needs `subscriptions:read`.
   */
  sumByMonth(query?: PaymentsSumByMonthQuery, options?: RequestOptions): Answer<PaymentSums> {
    return this.send({ operation: "sumPayments", verb: "GET", path: "/payments/sums", query }, options);
  }
}
