import { createColumnHelper, tableFeatures, useTable } from "@tanstack/react-table";
import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import { type CSSProperties, type ReactNode, useMemo, useRef } from "react";
import { Button } from "react-aria-components/Button";
import { i18n } from "../text/i18n.ts";
import { ListFrame } from "./long-list.tsx";
import { type Counted, type Identified, idOf, type ListQuery, useLongRows } from "./long-rows.ts";

/** A column of a table. */
export type Column<Item> = {
  id: string;
  /** empty for a column of actions */
  header: string;
  cell: (item: Item) => ReactNode;
  /** the column's track in a CSS grid; `minmax(0, 1fr)` by default */
  width?: string;
  /** numbers stand at the end of their column */
  align?: "end";
  /** the list's values of `sort` by this column, if the service can sort by it */
  sorts?: readonly [ascending: string, descending: string];
  /** whether a phone leaves the column out */
  isHiddenOnPhone?: boolean;
};

/** The order of a table's rows, as the list's `sort` names it. */
export type Sort = string | undefined;

const features = tableFeatures({});

/**
 * A virtual table that scrolls with the window, with a head that sorts. On a phone, the first two columns stand in the first
 * line of a row. A link with the class `row-link` in the first column covers its row.
 *
 * @param counted formats the number of items, such as `12 orders` or `10,000+ orders`
 * @param empty the content in place of a table without rows
 */
export function DataTable<Item extends Identified, Body extends Counted>({
  label,
  query,
  counted,
  columns,
  sort,
  onSort,
  rowHeight = 56,
  empty,
}: {
  label: string;
  query: ListQuery<Item, Body>;
  counted: (total: number | string, body: Body) => string;
  columns: readonly Column<Item>[];
  sort?: Sort;
  onSort?: (sort: Sort) => void;
  rowHeight?: number;
  empty?: ReactNode;
}) {
  const body = useRef<HTMLDivElement>(null);
  const long = useLongRows(body, query, { rowHeight, gap: 0 });
  const { rows, total, height, keys } = long;
  const shape = useMemo(() => {
    const helper = createColumnHelper<typeof features, Item>();
    return columns.map(({ id, header, cell }) =>
      helper.display({ id, header, cell: ({ row }) => cell(row.original) }),
    );
  }, [columns]);
  const table = useTable({ features, columns: shape, data: rows, getRowId: idOf });
  const columnOf = (id: string) => columns.find((column) => column.id === id) as Column<Item>;
  const cellsOf = table.getRowModel().rows;
  const tracks = columns.map(({ width = "minmax(0, 1fr)" }) => width).join(" ");
  return (
    <ListFrame long={long} query={query} counted={counted} empty={empty}>
      {/* biome-ignore-start lint/a11y/useSemanticElements: the rows of a virtual table are placed by a script, which the elements of a table do not allow */}
      <div
        className="grid-table"
        role="table"
        aria-label={label}
        aria-rowcount={total === null ? -1 : total + 1}
        style={{ "--columns": tracks } as CSSProperties}
      >
        {table.getHeaderGroups().map((group) => (
          <div key={group.id} role="row" className="head-row" aria-rowindex={1} tabIndex={-1}>
            {group.headers.map((header) => (
              <Head key={header.id} column={columnOf(header.column.id)} sort={sort} onSort={onSort} />
            ))}
          </div>
        ))}
        <div ref={body} className="body" role="rowgroup" style={{ height }} {...keys}>
          {long.shown.map(({ index, key, place }) => (
            <div key={key} role="row" aria-rowindex={index + 2} tabIndex={-1} {...place}>
              {cellsOf[index]?.getAllCells().map((cell) => {
                const { align, isHiddenOnPhone } = columnOf(cell.column.id);
                return (
                  <div
                    key={cell.id}
                    role="cell"
                    data-align={align}
                    data-phone={isHiddenOnPhone ? "hidden" : undefined}
                  >
                    <table.FlexRender cell={cell} />
                  </div>
                );
              })}
            </div>
          ))}
        </div>
      </div>
      {/* biome-ignore-end lint/a11y/useSemanticElements: see above */}
    </ListFrame>
  );
}

/** The head of a column. A press sorts by the column, the largest first, and a second press reverses the order. */
function Head<Item>({
  column: { header, align, sorts, isHiddenOnPhone },
  sort,
  onSort,
}: {
  column: Column<Item>;
  sort: Sort;
  onSort: ((sort: Sort) => void) | undefined;
}) {
  const [ascending, descending] = sorts ?? [];
  const isSortable = onSort && descending !== undefined;
  const direction = !isSortable
    ? undefined
    : sort === ascending
      ? "ascending"
      : sort === descending
        ? "descending"
        : "none";
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the table
    <div
      role="columnheader"
      tabIndex={-1}
      data-align={align}
      data-phone={isHiddenOnPhone ? "hidden" : undefined}
      aria-sort={direction}
    >
      {direction ? (
        <Button
          className="bare"
          aria-label={i18n.t("Sort by {header}", { header })}
          onPress={() => onSort?.(direction === "descending" ? ascending : descending)}
        >
          {header}
          <Arrow direction={direction} />
        </Button>
      ) : (
        header || <span className="hidden-text">{i18n.t("Actions")}</span>
      )}
    </div>
  );
}

function Arrow({ direction }: { direction: "ascending" | "descending" | "none" }) {
  const Icon = { ascending: ArrowUp, descending: ArrowDown, none: ChevronsUpDown }[direction];
  return <Icon size={12} aria-hidden />;
}
