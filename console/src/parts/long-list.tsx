import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { defaultRangeExtractor, type Range, useWindowVirtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { Button } from "./button.tsx";
import { ProblemNote } from "./problem-note.tsx";

/** An item with its own id, or the id of its account. */
type Identified = { id: string } | { account_id: string };
const idOf = (item: Identified) => ("id" in item ? item.id : item.account_id);

type Counted = { total: number; total_relation: "eq" | "gte" };
type Listed<Item, Body> = { items: Item[]; body: Body };

/** The rows left below the window when the next page is read. */
const readAhead = 30;
/** The rows from which keyboard users get a button to skip the list. */
const manyRows = 20;

/**
 * A virtual list that scrolls with the window. Only visible rows are in the DOM, and more pages are read near the end.
 * The arrow keys, Home and End move between rows. The focused row stays in the DOM.
 *
 * @param counted formats the number of items, such as `12 orders` or `10,000+ orders`
 * @param listClass the class of the list: `rows`, or `cards`
 * @param rowHeight the estimated height of a row in pixels, until it is measured
 */
export function LongList<Item extends Identified, Body extends Counted>({
  label,
  query,
  counted,
  listClass = "rows",
  rowHeight = 48,
  children,
}: {
  label: string;
  query: UseInfiniteQueryResult<InfiniteData<Listed<Item, Body>, unknown>>;
  counted: (total: number | string, body: Body) => string;
  listClass?: "rows" | "cards";
  rowHeight?: number;
  children: (item: Item) => ReactNode;
}) {
  const { data, error, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  const [first] = data?.pages ?? [];
  const rows = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]);
  const total = Math.max(first?.body.total ?? 0, rows.length);
  const isAll = first?.body.total_relation !== "gte" || !hasNextPage;
  const list = useRef<HTMLUListElement>(null);
  const end = useRef<HTMLParagraphElement>(null);
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
    gap: listClass === "cards" ? 12 : 0,
    scrollMargin: top,
    rangeExtractor: useCallback(
      (range: Range) => withRow(defaultRangeExtractor(range), active, range),
      [active],
    ),
    // React warns about a synchronous rendering during a rendering, as after a key press.
    useFlushSync: false,
  });
  const shown = virtualizer.getVirtualItems();

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
  }, [active]);
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

  return (
    <>
      {error && !isFetchNextPageError && <ProblemNote error={error} />}
      <p role="status">
        {first
          ? counted(isAll ? total : `${total.toLocaleString("en")}+`, first.body)
          : error
            ? ""
            : "Loading …"}
      </p>
      {rows.length > manyRows && (
        <button type="button" className="skip" onClick={() => end.current?.focus()}>
          Skip list
        </button>
      )}
      <ul
        ref={list}
        className={`${listClass} long`}
        aria-label={label}
        style={{ height: virtualizer.getTotalSize() }}
        onKeyDown={moveFocus}
        onBlur={() => isMovingFocus.current || setActive(null)}
      >
        {shown.map(({ index, key, start }) => (
          <li
            key={key}
            ref={virtualizer.measureElement}
            data-index={index}
            aria-posinset={index + 1}
            aria-setsize={isAll ? total : -1}
            style={{ transform: `translateY(${start - top}px)` }}
            onFocus={() => setActive(index)}
          >
            {children(rows[index] as Item)}
          </li>
        ))}
      </ul>
      {isFetchNextPageError && (
        <>
          <ProblemNote error={error} />
          <Button onPress={() => void fetchNextPage()}>Load more</Button>
        </>
      )}
      {hasNextPage && !isFetchNextPageError && <p className="quiet">Loading more …</p>}
      <p ref={end} tabIndex={-1} className="quiet" />
    </>
  );
}

/** Adds the focused row to the visible rows. */
function withRow(indexes: number[], row: number | null, { count }: Range): number[] {
  if (row === null || row >= count || indexes.includes(row)) return indexes;
  return [...indexes, row].sort((a, b) => a - b);
}
