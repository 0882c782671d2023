import { infiniteQueryOptions, type QueryClient, type QueryKey } from "@tanstack/react-query";
import type { Page } from "earnest-client";

/** The pages beyond which a list is deep. */
const deepPages = 10;

/** Tells whether a list is deep: reading it again would cause a burst of requests. */
const isDeep = ({ state }: { state: { data: unknown } }): boolean =>
  ((state.data as { pages?: unknown[] } | undefined)?.pages?.length ?? 0) > deepPages;

/** The part of a page that a list keeps. */
type ReadPage<Item, Body> = Pick<Page<Item, Body>, "items" | "body" | "nextCursor">;

/**
 * Builds the query of a list that is read page by page.
 *
 * @param read requests one page; without a cursor, the first
 */
export const pagedQuery = <Item, Body extends { items: Item[]; total: number }>(
  queryKey: QueryKey,
  read: (page: { limit: number; cursor: string | undefined }) => PromiseLike<ReadPage<Item, Body>>,
) =>
  infiniteQueryOptions({
    queryKey,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam }) => {
      const { items, body, nextCursor } = await read({ limit: 100, cursor: pageParam });
      return { items, body, next: nextCursor };
    },
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchOnMount: (query) => !isDeep(query) || query.state.isInvalidated,
    refetchOnReconnect: (query) => !isDeep(query),
    refetchOnWindowFocus: (query) => !isDeep(query),
  });

/** Polls a list that the event feed does not cover, until the user scrolls beyond its first page. */
export const polledList = {
  refetchInterval: ({ state }: { state: { data?: { pages: unknown[] } | undefined } }) =>
    state.data?.pages.length === 1 ? 5000 : false,
} as const;

/** Refreshes queries: visible ones at once. A deep list is read again when the user returns to it. */
export async function refreshQueries(queries: QueryClient, queryKey: QueryKey): Promise<void> {
  await queries.invalidateQueries({ queryKey, refetchType: "none" });
  await queries.refetchQueries({ queryKey, type: "active", predicate: (query) => !isDeep(query) });
}
