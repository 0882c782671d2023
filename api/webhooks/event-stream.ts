import { createRoute, z } from "@hono/zod-openapi";
import { streamsPath } from "../../protocol/settlement/vocabulary.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { originOf } from "../http/client-address.ts";
import { accessRule, errorResponses } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { cursorParameter, readFeedPosition, typesParameter } from "./event-feed.ts";
import { createOpenStreams } from "./open-streams.ts";

/** Headers that make proxies pass each event on at once, unchanged, and to this reader alone. */
const streamHeaders = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-store, no-transform",
  "X-Accel-Buffering": "no",
};

/** Adds the stream of an account's events: the feed as server-sent events (WHATWG HTML, section 9.2), with cursors as ids. */
export function addEventStream(root: App, context: Context): void {
  const streams = createOpenStreams(context);

  root.openapi(
    createRoute({
      method: "get",
      path: `${streamsPath}/events`,
      operationId: "streamEvents",
      tags: ["webhooks"],
      summary: "Stream your events as server-sent events",
      description:
        "The feed of `GET /events` as an open stream. An event usually arrives within a second of its cause. Each `data` is an `Event` as JSON, and each `id` is the cursor after it. To continue, send the last id as `Last-Event-ID`, or as `cursor`; the header has precedence. No event is lost or repeated. Comments keep the connection alive. A stream ends if you do not read it, if the token ends, after a long time without events, and when the service restarts. Reconnect after `retry` milliseconds.",
      ...accessRule(context, "webhooks:read"),
      request: {
        query: z.object({ cursor: cursorParameter, type: typesParameter }),
        headers: z.object({
          "last-event-id": z.string().max(32).optional().openapi({
            description:
              "the `id` of the last event that was read; clients of server-sent events send it by themselves",
          }),
        }),
      },
      responses: {
        200: {
          description: "Events after the cursor, without an end",
          content: { "text/event-stream": { schema: z.string() } },
        },
        ...errorResponses("too_many_streams", "streams_full"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { cursor, type } = c.req.valid("query");
      const last = c.req.valid("header")["last-event-id"] || undefined;
      const after =
        last === undefined
          ? await readFeedPosition(context.db, caller.accountId, cursor)
          : await readFeedPosition(context.db, caller.accountId, last, "Last-Event-ID");
      // The answer to HEAD has no reader.
      if (c.req.raw.method === "HEAD") return c.body(null, 200, streamHeaders);
      const outgoing = (c.env as ServerEnv)?.outgoing;
      const body = await streams.follow(
        { caller, types: type ? new Set(type) : null, after },
        originOf(c),
        () => outgoing?.destroy(),
      );
      return c.body(body, 200, streamHeaders);
    },
  );
}

/** The part of `@hono/node-server`'s environment that holds the response. */
type ServerEnv = { outgoing?: { destroy(): void } } | undefined;
