// Generated from docs/openapi.json by clients/generator. `npm run generate` writes it anew.

import type { Answer, RequestOptions } from "../../core/call.ts";
import { ResourceBase } from "../../core/resource.ts";
import type { EventType, EventTypes, FeedPage } from "../types.ts";

export interface EventsListQuery {
  /** `next_cursor` of the answer before, or the `id` of a stream's event; `now` for what comes from now on. */
  cursor?: string;
  /** Unless given: `100`. */
  limit?: number;
  /** Only these types; may be given several times. */
  type?: EventType[];
}

export class EventsResource extends ResourceBase {
  /**
   * Your events, oldest first, by pull. The same events that webhooks deliver, with the same `event_id`, for
   * 30 days. Keep `next_cursor` and ask with it again: it is there even when nothing is new, and no event is
   * ever given before it that was not given already. A key needs `webhooks:read`.
   */
  list(query?: EventsListQuery, options?: RequestOptions): Answer<FeedPage> {
    return this.send({ operation: "listEvents", verb: "GET", path: "/events", query }, options);
  }

  /** The types of events, with what each means and the JSON Schema of its data. A key needs `webhooks:read`. */
  listTypes(options?: RequestOptions): Answer<EventTypes> {
    return this.send({ operation: "listEventTypes", verb: "GET", path: "/webhooks/events" }, options);
  }
}
