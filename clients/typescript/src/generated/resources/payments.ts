// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import type { PagePromise } from "../../core/page.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { Party, PaymentRecord, PaymentRecordPage, PaymentSums, SettlementClaim } from "../types.ts";

export interface PaymentsExportQuery {
  /** Your side of the order. */
  role?: Party;
  claim?: SettlementClaim;
  /** Recorded at this time or later. */
  since?: string;
  /** Recorded before this time. */
  until?: string;
}

export interface PaymentsExportStatementCsvQuery {
  /** In UTC, by the time at which the service recorded it. */
  month: string;
}

export interface PaymentsExportStatementQuery {
  /** In UTC, by the time at which the service recorded it. */
  month: string;
}

export interface PaymentsListQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
  /** Your side of the order. */
  role?: Party;
  claim?: SettlementClaim;
  /** Recorded at this time or later. */
  since?: string;
  /** Recorded before this time. */
  until?: string;
}

export interface PaymentsSumByMonthQuery {
  /** Your side of the order. */
  role?: Party;
  claim?: SettlementClaim;
  /** Recorded at this time or later. */
  since?: string;
  /** Recorded before this time. */
  until?: string;
}

export class PaymentsResource extends ResourceBase {
  /**
   * Export the settlements of your orders, newest first. All rows that the filters leave, as CSV (RFC 4180,
   * UTF-8, with a header). The table is sent while it is read. Its columns are the fields of
   * `PaymentRecord`. A key needs `subscriptions:read`.
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
   * Read the statement of a month as CSV. One row for the settlement of each order that you sold or bought,
   * oldest first, and then the sums for each side, chain and token. The month counts by `recorded_at`, so
   * that a past month gets no new rows. A row whose payment left the chain is omitted. The table is sent
   * while it is read. A key needs `subscriptions:read`.
   */
  exportStatementCsv(query: PaymentsExportStatementCsvQuery, options?: RequestOptions): Answer<string> {
    return this.send(
      {
        operation: "exportStatementCsv",
        verb: "GET",
        path: "/exports/statement.csv",
        root: true,
        accept: "text/csv",
        query,
      },
      options,
    );
  }

  /**
   * Read the statement of a month as PDF. One row for the settlement of each order that you sold or bought,
   * oldest first, and then the sums for each side, chain and token. The month counts by `recorded_at`, so
   * that a past month gets no new rows. A row whose payment left the chain is omitted. A month with more
   * than 2000 settlements is 409 `invalid_state`: use the CSV. A key needs `subscriptions:read`.
   */
  exportStatement(query: PaymentsExportStatementQuery, options?: RequestOptions): Answer<Uint8Array> {
    return this.send(
      {
        operation: "exportStatement",
        verb: "GET",
        path: "/exports/statement.pdf",
        root: true,
        accept: "application/pdf",
        file: true,
        query,
      },
      options,
    );
  }

  /**
   * List the settlements of your orders, newest first. Settlements that the chain has confirmed, without
   * those that a reorganisation removed. Each has a receipt, which proves it: GET /receipts/{id}. A key
   * needs `subscriptions:read`.
   */
  list(query?: PaymentsListQuery, options?: RequestOptions): PagePromise<PaymentRecord, PaymentRecordPage> {
    return this.sendPage({ operation: "listPayments", verb: "GET", path: "/payments", query }, options);
  }

  /**
   * Read what you received and paid in each month, newest first. The exact sums of `GET /payments` with the
   * same filters, for each month (UTC, by the time of the block) and token. Settlements of the other side
   * alone are left out. A key needs `subscriptions:read`.
   */
  sumByMonth(query?: PaymentsSumByMonthQuery, options?: RequestOptions): Answer<PaymentSums> {
    return this.send({ operation: "sumPayments", verb: "GET", path: "/payments/sums", query }, options);
  }
}
