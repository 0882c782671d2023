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

/** An item by its id, or by that of the account that it is about. */
type Identified = { id: string } | { account_id: string };
const idOf = (item: Identified) => ("id" in item ? item.id : item.account_id);

type Counted = { total: number; total_relation: "eq" | "gte" };
type Listed<Item, Body> = { items: Item[]; body: Body };

/** So many rows before the end of what was read, more is read. */
const readAhead = 30;
/** From so many rows on there is a way past them for who goes by the keyboard. */
const manyRows = 20;

/**
 * A list of any length that the window scrolls. Only the rows in sight are in the page, and more is read as their end
 * comes near. The arrow keys, Home and End go from row to row; the row with the focus stays.
 *
 * @param counted says how many there are, as in `12 orders` or `10,000+ orders`
 * @param listClass the class of the list: `rows`, or `cards`
 * @param rowHeight what a row is thought to be high until it is seen, in pixels
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
  const isGoing = useRef(false);

  // What stands above the list may grow.
  useLayoutEffect(() => {
    if (list.current) setTop(Math.round(list.current.getBoundingClientRect().top + scrollY));
  });
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    // The same function while the rows are the same: with another one all rows are laid out anew.
    getItemKey: useCallback((at: number) => (rows[at] ? idOf(rows[at]) : at), [rows]),
    overscan: 10,
    gap: listClass === "cards" ? 12 : 0,
    scrollMargin: top,
    rangeExtractor: useCallback(
      (range: Range) => withRow(defaultRangeExtractor(range), active, range),
      [active],
    ),
    // React complains of a synchronous rendering while it renders, as after a step by the keyboard.
    useFlushSync: false,
  });
  const shown = virtualizer.getVirtualItems();

  // A row far away with the focus is no reason to read.
  const last = virtualizer.range?.endIndex ?? 0;
  const isNearEnd = first !== undefined && last >= rows.length - readAhead;
  useEffect(() => {
    if (isNearEnd && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  }, [isNearEnd, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);

  // The row that a key goes to is in the page by now, wherever the window stands.
  useEffect(() => {
    if (!isGoing.current || active === null) return;
    isGoing.current = false;
    list.current?.querySelector<HTMLElement>(`[data-index="${active}"] :is(a, button)`)?.focus();
  }, [active]);
  const goTo = (event: KeyboardEvent) => {
    // Fields in a row have these keys to themselves.
    if ((event.target as Element).matches("input, select, textarea")) return;
    if (active === null || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const next = { ArrowDown: active + 1, ArrowUp: active - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (next === undefined || next < 0 || next >= rows.length) return;
    event.preventDefault();
    isGoing.current = next !== active;
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
          Skip the list
        </button>
      )}
      <ul
        ref={list}
        className={`${listClass} long`}
        aria-label={label}
        style={{ height: virtualizer.getTotalSize() }}
        onKeyDown={goTo}
        onBlur={() => isGoing.current || setActive(null)}
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
          <Button onPress={() => void fetchNextPage()}>Read on</Button>
        </>
      )}
      {hasNextPage && !isFetchNextPageError && <p className="quiet">Loading more …</p>}
      <p ref={end} tabIndex={-1} className="quiet">
        {first && !hasNextPage && rows.length > manyRows ? "That is all." : ""}
      </p>
    </>
  );
}

/** The rows to show, with the one that has the focus. */
function withRow(indexes: number[], row: number | null, { count }: Range): number[] {
  if (row === null || row >= count || indexes.includes(row)) return indexes;
  return [...indexes, row].sort((a, b) => a - b);
}
