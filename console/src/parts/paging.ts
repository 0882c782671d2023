import { infiniteQueryOptions, type QueryClient, type QueryKey } from "@tanstack/react-query";
import type { Page } from "earnest-client";

/** A list of more pages than these is deep. */
const deepPages = 10;

/** Whether so much of a list was read that reading all of it anew would be a burst of requests. */
const isDeep = ({ state }: { state: { data: unknown } }): boolean =>
  ((state.data as { pages?: unknown[] } | undefined)?.pages?.length ?? 0) > deepPages;

/**
 * A list that is read page by page, as it is scrolled.
 *
 * @param read asks for one page: the first where there is no cursor
 */
export const pagedQuery = <Item, Body extends { items: Item[]; total: number }>(
  queryKey: QueryKey,
  read: (page: { limit: number; cursor: string | undefined }) => PromiseLike<Page<Item, Body>>,
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

/** For what no event of the feed tells of: a list follows what happens, unless who reads it has scrolled on. */
export const isFollowed = {
  refetchInterval: ({ state }: { state: { data?: { pages: unknown[] } | undefined } }) =>
    state.data?.pages.length === 1 ? 5000 : false,
} as const;

/** Reads what something befell: at once where it is shown, unless it is a deep list, which is read anew when it is come to. */
export async function renew(queries: QueryClient, queryKey: QueryKey): Promise<void> {
  await queries.invalidateQueries({ queryKey, refetchType: "none" });
  await queries.refetchQueries({ queryKey, type: "active", predicate: (query) => !isDeep(query) });
}
