import { type ReactNode, useRef } from "react";
import { i18n } from "../text/i18n.ts";
import { Button } from "./button.tsx";
import { type Counted, type Identified, type ListQuery, useLongRows } from "./long-rows.ts";
import { ProblemNote } from "./problem-note.tsx";
import { Skeleton } from "./skeleton.tsx";

/** The rows from which keyboard users get a button to skip the list. */
const manyRows = 20;

/**
 * A virtual list that scrolls with the window.
 *
 * @param counted formats the number of items, such as `12 orders` or `10,000+ orders`
 * @param listClass the class of the list: `rows`, or `cards`
 * @param rowHeight the estimated height of a row in pixels, until it is measured
 * @param empty the content in place of a list without items
 */
export function LongList<Item extends Identified, Body extends Counted>({
  label,
  query,
  counted,
  listClass = "rows",
  rowHeight = 48,
  empty,
  children,
}: {
  label: string;
  query: ListQuery<Item, Body>;
  counted: (total: number | string, body: Body) => string;
  listClass?: "rows" | "cards";
  rowHeight?: number;
  empty?: ReactNode;
  children: (item: Item) => ReactNode;
}) {
  const list = useRef<HTMLUListElement>(null);
  const long = useLongRows(list, query, { rowHeight, gap: listClass === "cards" ? 12 : 0 });
  return (
    <ListFrame long={long} query={query} counted={counted} empty={empty}>
      <ul
        ref={list}
        className={`${listClass} long`}
        aria-label={label}
        style={{ height: long.height }}
        {...long.keys}
      >
        {long.shown.map(({ item, index, key, place }) => (
          <li key={key} {...place} aria-posinset={index + 1} aria-setsize={long.total ?? -1}>
            {children(item)}
          </li>
        ))}
      </ul>
    </ListFrame>
  );
}

/** The parts around a long list or table: its count, errors, the end, and the content for no items. */
export function ListFrame<Item extends Identified, Body extends Counted>({
  long,
  query,
  counted,
  empty,
  children,
}: {
  long: ReturnType<typeof useLongRows<Item, Body>>;
  query: ListQuery<Item, Body>;
  counted: (total: number | string, body: Body) => string;
  empty?: ReactNode;
  children: ReactNode;
}) {
  const end = useRef<HTMLParagraphElement>(null);
  const { rows, body, total, totalText, firstError, nextError } = long;
  const retry = () => void query.refetch();
  if (!body) return firstError ? <ProblemNote error={firstError} onRetry={retry} /> : <Skeleton />;
  if (rows.length === 0 && empty) return empty;
  return (
    <>
      {firstError && <ProblemNote error={firstError} onRetry={retry} />}
      <p role="status" className="quiet">
        {counted(total === null ? totalText : total, body)}
      </p>
      {rows.length > manyRows && (
        <button type="button" className="skip" onClick={() => end.current?.focus()}>
          {i18n.t("Skip list")}
        </button>
      )}
      {children}
      {nextError && (
        <>
          <ProblemNote error={nextError} />
          <Button onPress={() => void query.fetchNextPage()}>{i18n.t("Load more")}</Button>
        </>
      )}
      {query.hasNextPage && !nextError && <p className="quiet">{i18n.t("Loading more…")}</p>}
      <p ref={end} tabIndex={-1} className="quiet" />
    </>
  );
}
