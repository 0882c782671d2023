import type { Context as HonoContext, TypedResponse } from "hono";
import type { Context } from "../context.ts";
import type { Variables } from "../variables.ts";
import { callerOf } from "./access.ts";
import type { Caller } from "./caller.ts";
import { findRevokedCallers } from "./revoked-access.ts";

/** The number of rows that are read at once while a table is written. */
export const exportBatch = 1000;

/** The columns of a table, each with the value of its cell. */
export type TableColumns<Row> = Record<string, (row: Row) => string | number | null>;

/** Reads the rows after a cursor, with the cursor of the next ones. It is null at the end. */
export type ReadBatch<Row> = (cursor: string | undefined) => Promise<{ rows: Row[]; next: string | null }>;

type Export<Row> = { name: string; columns: TableColumns<Row>; read: ReadBatch<Row> };

/** Answers with a table as CSV (RFC 4180, UTF-8, with a header), which is sent while it is read. */
export function answerCsv<Row>(
  c: HonoContext<{ Variables: Variables }>,
  context: Context,
  { name, columns, read }: Export<Row>,
): Response {
  const line = (cells: (string | number | null)[]) => `${cells.map(writeCell).join(",")}\r\n`;
  const body = streamRows(
    { context, caller: callerOf(c), read },
    {
      begin: line(Object.keys(columns)),
      row: (row) => line(Object.values(columns).map((cell) => cell(row))),
      end: "",
    },
  );
  return answerFile(c, body, name, "text/csv; charset=utf-8; header=present");
}

/** Answers with `{"items": [...]}` as JSON, which is sent while it is read. */
export function answerJson<Row>(
  c: HonoContext<{ Variables: Variables }>,
  context: Context,
  { name, read }: Pick<Export<Row>, "name" | "read">,
): JsonAnswer<Row> {
  let isFirst = true;
  const body = streamRows(
    { context, caller: callerOf(c), read },
    {
      begin: '{"items":[',
      row: (row) => {
        const text = `${isFirst ? "" : ","}\n${JSON.stringify(row)}`;
        isFirst = false;
        return text;
      },
      end: "\n]}\n",
    },
  );
  return answerFile(c, body, name, "application/json") as JsonAnswer<Row>;
}

type JsonAnswer<Row> = Response & TypedResponse<{ items: Row[] }, 200, "json">;

function answerFile(
  c: HonoContext<{ Variables: Variables }>,
  body: ReadableStream<Uint8Array>,
  name: string,
  type: string,
): Response {
  return c.body(body, 200, {
    "Content-Type": type,
    "Content-Disposition": `attachment; filename="${name}"`,
  });
}

type Source<Row> = { context: Context; caller: Caller; read: ReadBatch<Row> };
type Form<Row> = { begin: string; row: (row: Row) => string; end: string };

/**
 * Streams rows. The stream reads a batch when its reader asks for more, and checks access each time.
 *
 * @throws ApiError `rate_limited` if too many tables are sent
 */
function streamRows<Row>(
  { context: { db, readTurns }, caller, read }: Source<Row>,
  form: Form<Row>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const end = readTurns.beginTable(caller.accountId);
  let cursor: string | undefined;
  return new ReadableStream({
    start: (controller) => controller.enqueue(encoder.encode(form.begin)),
    async pull(controller) {
      try {
        const { rows, next } = await readTurns.take(caller.accountId, readBatch);
        const text = rows.map(form.row).join("") + (next === null ? form.end : "");
        if (text !== "") controller.enqueue(encoder.encode(text));
        cursor = next ?? undefined;
        if (next !== null) return;
        controller.close();
        end();
      } catch (error) {
        end();
        throw error;
      }
    },
    cancel: end,
  });

  async function readBatch() {
    const [ended] = await findRevokedCallers(db, [{ caller }]);
    // An error cuts the table off. A regular end would make the last row look like the end.
    if (ended) throw new Error("The caller may not read this table now.");
    return read(cursor);
  }
}

/**
 * A spreadsheet runs a cell as a formula if it begins with one of these characters. Some spreadsheets also end a cell at a
 * semicolon, a tab or a line. Parties choose names.
 */
const formula = /(^|[;\t\r\n])(?=[=+\-@\t\r＝＋－＠])/g;

function writeCell(cell: string | number | null): string {
  const value = String(cell ?? "");
  const text = typeof cell === "string" ? value.replaceAll(formula, "$1'") : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
