import { createRoute, z } from "@hono/zod-openapi";
import { streamsPath } from "../../protocol/settlement/vocabulary.ts";
import type { Context } from "../context.ts";
import { callerOf } from "../http/access.ts";
import { originOf } from "../http/client-address.ts";
import { guarded, refusals } from "../http/openapi.ts";
import type { App } from "../variables.ts";
import { cursorParameter, readPlace, typesParameter } from "./event-feed.ts";
import { createFollowers } from "./followers.ts";

/** What is said to whatever stands between: pass each event on at once, as it is, to this reader alone. */
const streamHeaders = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-store, no-transform",
  "X-Accel-Buffering": "no",
};

/** The feed by push: server-sent events (WHATWG HTML, section 9.2) of the same feed, with its cursor as their ids. */
export function addEventStream(root: App, context: Context): void {
  const followers = createFollowers(context);

  root.openapi(
    createRoute({
      method: "get",
      path: `${streamsPath}/events`,
      operationId: "streamEvents",
      tags: ["webhooks"],
      summary: "Your events as they happen, by server-sent events",
      description:
        "The feed of `GET /events` as a stream that stays open: an event arrives well within a second of what caused it. Each `data` is an `Event` as JSON, each `id` the feed's cursor after it. Continue with the last id in `Last-Event-ID` or `cursor`: no event is lost or given twice. The header wins. Comments are signs of life. Streams end: when you do not read, when the token ends, when nothing happened for long, when the service restarts. Connect again after `retry` milliseconds.",
      ...guarded(context, "webhooks:read"),
      request: {
        query: z.object({ cursor: cursorParameter, type: typesParameter }),
        headers: z.object({
          "last-event-id": z.string().max(32).optional().openapi({
            description:
              "the `id` of the last event that was read; a reader of such streams sends it by itself",
          }),
        }),
      },
      responses: {
        200: {
          description: "Events from the cursor on, without an end",
          content: { "text/event-stream": { schema: z.string() } },
        },
        ...refusals("too_many_streams", "streams_full"),
      },
    }),
    async (c) => {
      const caller = callerOf(c);
      const { cursor, type } = c.req.valid("query");
      const last = c.req.valid("header")["last-event-id"] || undefined;
      const after =
        last === undefined
          ? await readPlace(context.db, caller.accountId, cursor)
          : await readPlace(context.db, caller.accountId, last, "Last-Event-ID");
      // Asked by HEAD, nobody would ever read it.
      if (c.req.raw.method === "HEAD") return c.body(null, 200, streamHeaders);
      const outgoing = (c.env as ServerEnv)?.outgoing;
      const body = await followers.follow(
        { caller, types: type ? new Set(type) : null, after },
        originOf(c),
        () => outgoing?.destroy(),
      );
      return c.body(body, 200, streamHeaders);
    },
  );
}

/** What `@hono/node-server` puts beside a request. */
type ServerEnv = { outgoing?: { destroy(): void } } | undefined;
