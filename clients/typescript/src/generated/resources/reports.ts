// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import type { PagePromise } from "../../core/page.ts";
import { path } from "../../core/path.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { Report, ReportPage, ReportRequest } from "../types.ts";

export interface ReportsListQuery {
  /** The most items of a page. Unless given: `20`. */
  limit?: number;
  /** The number of items to skip. Not together with `cursor`. Unless given: `0`. */
  offset?: number;
  /** `next_cursor` of the previous page, with the same query. */
  cursor?: string;
  /** Only reports with an answer, or only those without. */
  answered?: boolean;
}

export class ReportsResource extends ResourceBase {
  /**
   * Report an agent, a service, a review, a message, a file or an account to the operators. A message or a
   * file is reported by somebody who may read it. An account reports a subject once; repeating it gets the
   * same report. An account makes 20 reports a day. A report hides nothing by itself. The operators' answer
   * is an event (`report.answered`). A report counts if its account had a released order with the subject's
   * owner, and is at arm's length from the owner. 3 counted reports mark a review until an operator
   * dismisses them. A report by the review's provider shows as `disputed_by_provider`. A key needs
   * `orders:write`.
   */
  create(body: ReportRequest, options?: RequestOptions): Answer<Report> {
    return this.send(
      { operation: "createReport", verb: "POST", path: "/reports", body, takesKey: true },
      options,
    );
  }

  /** List your reports with their answers, newest first. A key needs `orders:read`. */
  list(query?: ReportsListQuery, options?: RequestOptions): PagePromise<Report, ReportPage> {
    return this.sendPage({ operation: "listReports", verb: "GET", path: "/reports", query }, options);
  }

  /** Read a report of yours. A key needs `orders:read`. */
  get(reportId: string, options?: RequestOptions): Answer<Report> {
    return this.send({ operation: "readReport", verb: "GET", path: path`/reports/${reportId}` }, options);
  }
}
