import { escapeControls, printable } from "../../../receipts/printable.ts";

/** The output format. JSON has one line per item. */
export type Format = { json: boolean };

/** Prints items as a table, or each item as a line of JSON. */
export function printRows(
  items: readonly object[],
  columns: Record<string, (item: never) => unknown>,
  { json }: Format,
) {
  if (json) {
    for (const item of items) console.log(escapeControls(JSON.stringify(item)));
    return;
  }
  const heads = Object.keys(columns);
  const rows = items.map((item) =>
    heads.map((head) => printable(String(columns[head]?.(item as never) ?? "-"))),
  );
  const widths = heads.map((head, at) => Math.max(head.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: string[]) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd();
  console.log(line(heads.map((head) => head.toUpperCase())));
  for (const row of rows) console.log(line(row));
}

/** Prints one item as JSON, or as lines of name and value. */
export function printOne(item: object, { json }: Format): void {
  if (json) {
    console.log(escapeControls(JSON.stringify(item)));
    return;
  }
  const width = Math.max(...Object.keys(item).map((name) => name.length));
  for (const [name, value] of Object.entries(item)) {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    console.log(printable(`${name.padEnd(width)}  ${text}`));
  }
}

/** Prints progress to standard error, so that standard output has only results. */
export function printToStderr(text: string): void {
  console.error(text);
}
