import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { defaultRangeExtractor, type Range, useWindowVirtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { locale } from "../text/language.ts";

/** An item with its own id, or the id of its account. */
export type Identified = { id: string } | { account_id: string };
export const idOf = (item: Identified) => ("id" in item ? item.id : item.account_id);

export type Counted = { total: number; total_relation: "eq" | "gte" };
type Listed<Item, Body> = { items: Item[]; body: Body };
export type ListQuery<Item, Body> = UseInfiniteQueryResult<InfiniteData<Listed<Item, Body>, unknown>>;

/** The rows left below the window when the next page is read. */
const readAhead = 30;

/**
 * The rows of a long list that scrolls with the window. Only visible rows are in the DOM, and more pages are read near the
 * end. The arrow keys, Home and End move between rows. The focused row stays in the DOM.
 *
 * @param rowHeight the estimated height of a row in pixels, until it is measured
 * @param gap the pixels between two rows
 */
export function useLongRows<Item extends Identified, Body extends Counted>(
  list: RefObject<HTMLElement | null>,
  query: ListQuery<Item, Body>,
  { rowHeight, gap }: { rowHeight: number; gap: number },
) {
  const { data, error, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  const [first] = data?.pages ?? [];
  const rows = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]);
  const total = Math.max(first?.body.total ?? 0, rows.length);
  const isAll = first?.body.total_relation !== "gte" || !hasNextPage;
  const [top, setTop] = useState(0);
  const [active, setActive] = useState<number | null>(null);
  const isMovingFocus = useRef(false);

  // The content above the list may grow.
  useLayoutEffect(() => {
    if (list.current) setTop(Math.round(list.current.getBoundingClientRect().top + scrollY));
  });
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    // A new function would lay out all rows again.
    getItemKey: useCallback((at: number) => (rows[at] ? idOf(rows[at]) : at), [rows]),
    overscan: 10,
    gap,
    scrollMargin: top,
    rangeExtractor: useCallback(
      (range: Range) => withRow(defaultRangeExtractor(range), active, range),
      [active],
    ),
    // React warns about a synchronous rendering during a rendering, as after a key press.
    useFlushSync: false,
  });

  // `range` leaves out a focused row outside the window, which must not trigger a read.
  const last = virtualizer.range?.endIndex ?? 0;
  const isNearEnd = first !== undefined && last >= rows.length - readAhead;
  useEffect(() => {
    if (isNearEnd && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  }, [isNearEnd, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);

  // The target row is in the DOM now, even outside the window.
  useEffect(() => {
    if (!isMovingFocus.current || active === null) return;
    isMovingFocus.current = false;
    list.current?.querySelector<HTMLElement>(`[data-index="${active}"] :is(a, button)`)?.focus();
  }, [active, list]);
  const moveFocus = (event: KeyboardEvent) => {
    // Fields in a row use these keys themselves.
    if ((event.target as Element).matches("input, select, textarea")) return;
    if (active === null || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const next = { ArrowDown: active + 1, ArrowUp: active - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (next === undefined || next < 0 || next >= rows.length) return;
    event.preventDefault();
    isMovingFocus.current = next !== active;
    setActive(next);
  };

  return {
    rows,
    body: first?.body,
    /** the number of all items; null if it is not known exactly */
    total: isAll ? total : null,
    /** such as `1,250`, or `10,000+` */
    totalText: `${total.toLocaleString(locale())}${isAll ? "" : "+"}`,
    firstError: isFetchNextPageError ? null : error,
    nextError: isFetchNextPageError ? error : null,
    height: virtualizer.getTotalSize(),
    shown: virtualizer.getVirtualItems().map(({ index, key, start }) => ({
      item: rows[index] as Item,
      index,
      key,
      /** the attributes that place the row, measure it, and keep it while it has the focus */
      place: {
        ref: virtualizer.measureElement,
        "data-index": index,
        style: { transform: `translateY(${start - top}px)` },
        onFocus: () => setActive(index),
      },
    })),
    /** the attributes of the element that has the rows */
    keys: { onKeyDown: moveFocus, onBlur: () => isMovingFocus.current || setActive(null) },
  };
}

/** Adds the focused row to the visible rows. */
function withRow(indexes: number[], row: number | null, { count }: Range): number[] {
  if (row === null || row >= count || indexes.includes(row)) return indexes;
  return [...indexes, row].sort((a, b) => a - b);
}
