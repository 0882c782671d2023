import { infiniteQueryOptions } from "@tanstack/react-query";
import type { Earnest, EventType } from "earnest-client";
import { polledList } from "../parts/paging.ts";

/** The account's events page by page, newest first. The feed does not count them. */
export const eventsQuery = (client: Earnest, type: EventType | undefined) =>
  infiniteQueryOptions({
    queryKey: ["events", type ?? null],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam }) => {
      const { items, next_cursor, has_more } = await client.events.list({
        order: "newest",
        limit: 100,
        ...(pageParam === undefined ? {} : { cursor: pageParam }),
        ...(type === undefined ? {} : { type: [type] }),
      });
      const body = { total: items.length, total_relation: has_more ? ("gte" as const) : ("eq" as const) };
      return { items, body, next: has_more ? next_cursor : undefined };
    },
    getNextPageParam: ({ next }) => next,
    ...polledList,
  });
