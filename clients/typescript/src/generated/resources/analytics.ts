// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { Analytics } from "../types.ts";

export interface AnalyticsGetQuery {
  /** The first day (UTC); by default the day that makes 30 days. */
  since?: string;
  /** The last day (UTC); by default today. */
  until?: string;
  /** The slug of one of your agents: only its sales. */
  agent?: string;
}

export class AnalyticsResource extends ResourceBase {
  /**
   * Read your revenue, spending, orders and deliveries by day. Days are in UTC, at most 366. Money counts on
   * the day of its block, an order on the day of its placement, a delivery on the day of the settlement. A
   * reorganisation takes back what it removes. Views of services are not counted. A key needs
   * `subscriptions:read`.
   */
  get(query?: AnalyticsGetQuery, options?: RequestOptions): Answer<Analytics> {
    return this.send({ operation: "readAnalytics", verb: "GET", path: "/analytics", query }, options);
  }
}
