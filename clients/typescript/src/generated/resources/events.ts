// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { EventOrder, EventType, EventTypes, FeedPage } from "../types.ts";

export interface EventsListQuery {
  /** `next_cursor` of the previous answer, or the `id` of a stream's event; `now` for future events only. */
  cursor?: string;
  /** Unless given: `100`. */
  limit?: number;
  /** Only events of these types; may be repeated. */
  type?: EventType[];
  /** `newest` reads back from the newest event, or from the cursor of such a page. */
  order?: EventOrder;
}

export class EventsResource extends ResourceBase {
  /**
   * List your events. The same events that webhooks deliver, with the same `event_id`, for 30 days. Store
   * `next_cursor` and use it for the next request. It is present even without new events, and no later event
   * is placed before it. The order `newest` is for people, who read back from the last event. A key needs
   * `webhooks:read`.
   */
  list(query?: EventsListQuery, options?: RequestOptions): Answer<FeedPage> {
    return this.send({ operation: "listEvents", verb: "GET", path: "/events", query }, options);
  }

  /** List the types of events with the JSON Schema of their data. A key needs `webhooks:read`. */
  listTypes(options?: RequestOptions): Answer<EventTypes> {
    return this.send({ operation: "listEventTypes", verb: "GET", path: "/webhooks/events" }, options);
  }
}
