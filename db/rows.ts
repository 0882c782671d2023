import { Column, getTableName, is, SQL } from "drizzle-orm";
import { NodePgSession } from "drizzle-orm/node-postgres";
import { PgCustomColumn, PgTimestamp } from "drizzle-orm/pg-core";
import { UnreadRow } from "./data-rows.ts";
import { readTime } from "./times.ts";

/** A field of a selection as drizzle has put it in the order of the statement's columns. */
type Field = { path: string[]; field: unknown };
type Decode = (value: unknown) => unknown;
type Plan = {
  columns: { path: string[]; decode: Decode | null }[];
  /** the objects of joined tables: null where the first column of one that may be missing is */
  joined: { name: string; at: number; table: string }[];
};
type Prepared = { joinsNotNullableMap?: Record<string, boolean> };
type MapRow = (row: unknown[]) => Record<string, unknown>;

/**
 * Has drizzle map rows by a plan that is made once for each statement. Its own mapping looks up what each field is for each
 * row anew, which took a tenth of the processor time of a list. A statement that is run again has its plan compiled.
 */
export function mapRowsByPlan(): void {
  const { prepareQuery } = NodePgSession.prototype;
  NodePgSession.prototype.prepareQuery = function (
    this: NodePgSession<never, never>,
    query,
    fields,
    name,
    isArray,
    mapper,
  ) {
    const prepared = prepareQuery.call(this, query, fields, name, isArray, mapper);
    if (fields && !mapper) {
      let plan: Plan | undefined;
      let compiled: MapRow | undefined;
      const map = (rows: unknown[][]) => {
        const { joinsNotNullableMap: present } = prepared as unknown as Prepared;
        if (plan) {
          compiled ??= compile(plan, present);
          return rows.map(compiled);
        }
        // Most statements are built anew each time: to compile one costs more than it saves on a page.
        const made = planOf(fields as Field[]);
        plan = made;
        return rows.map((row) => mapRow(made, row, present));
      };
      Object.assign(prepared, { customResultMapper: map });
    }
    return prepared;
  } as typeof prepareQuery;
}

/** What a prepared statement found: its rows, unread where the connection leaves them so, and how one is read. */
export type Unread<Row> = { rows: (UnreadRow | unknown[])[]; read: (row: UnreadRow | unknown[]) => Row };

/** Has a prepared statement leave its rows unread, for who knows most of them by their text. */
export function leaveUnread<Row>(prepared: { execute(values?: Values): Promise<Row[]> }) {
  const statement = prepared as unknown as {
    customResultMapper: (rows: unknown[][]) => Row[];
    queryConfig: object;
  };
  const { customResultMapper: map, queryConfig } = statement;
  Object.assign(queryConfig, { leavesRows: true });
  const read: Unread<Row>["read"] = (row) => map([row instanceof UnreadRow ? row.values : row])[0] as Row;
  Object.assign(statement, {
    customResultMapper: (rows: Unread<Row>["rows"]): Unread<Row> => ({ rows, read }),
  });
  return prepared as unknown as { execute(values?: Values): Promise<Unread<Row>> };
}
type Values = Record<string, unknown>;

function planOf(fields: Field[]): Plan {
  const joined = new Map<string, Plan["joined"][number] | null>();
  const columns = fields.map(({ path, field }, at) => {
    const [name = ""] = path;
    if (path.length === 2 && is(field, Column)) {
      const table = getTableName(field.table);
      const before = joined.get(name);
      // An object of several tables is no row of a joined one.
      if (before === undefined) joined.set(name, { name, at, table });
      else if (before?.table !== table) joined.set(name, null);
    }
    return { path, decode: decoderOf(field) };
  });
  return { columns, joined: [...joined.values()].filter((one) => one !== null) };
}

function decoderOf(field: unknown): Decode | null {
  const decoder = is(field, Column)
    ? field
    : is(field, SQL)
      ? readDecoder(field)
      : readDecoder((field as { sql: unknown }).sql);
  // Most columns are taken as the driver has them.
  if (decoder.mapFromDriverValue === Column.prototype.mapFromDriverValue) return null;
  if (is(decoder, PgCustomColumn) && (decoder as unknown as { mapFrom?: unknown }).mapFrom === undefined)
    return null;
  if (is(decoder, PgTimestamp) && decoder.withTimezone) return (value) => readTime(value as string);
  return (value) => decoder.mapFromDriverValue(value);
}

const readDecoder = (sql: unknown) => (sql as { decoder: { mapFromDriverValue: Decode } }).decoder;

function mapRow({ columns, joined }: Plan, row: unknown[], present: Prepared["joinsNotNullableMap"]) {
  const result: Record<string, unknown> = {};
  columns.forEach(({ path, decode }, at) => {
    const raw = row[at];
    let node = result;
    for (let depth = 0; depth < path.length - 1; depth += 1) {
      const name = path[depth] as string;
      node[name] ??= {};
      node = node[name] as Record<string, unknown>;
    }
    node[path[path.length - 1] as string] = raw === null || decode === null ? raw : decode(raw);
  });
  if (present) {
    for (const { name, at, table } of joined) if (row[at] === null && !present[table]) result[name] = null;
  }
  return result;
}

/**
 * The same as `mapRow` does by its plan, as a program: V8 then knows the objects' shape, and stores no member by a name
 * that it has to look up. Its text is made of the names of our own selections, and of no value.
 */
function compile({ columns, joined }: Plan, present: Prepared["joinsNotNullableMap"]): MapRow {
  const root: Branch = new Map();
  columns.forEach(({ path, decode }, at) => {
    let node = root;
    for (const name of path.slice(0, -1)) {
      const found = node.get(name);
      const branch: Branch = typeof found === "object" ? found : new Map();
      node.set(name, branch);
      node = branch;
    }
    const value = decode ? `row[${at}] === null ? null : decode${at}(row[${at}])` : `row[${at}]`;
    node.set(path[path.length - 1] as string, value);
  });
  for (const { name, at, table } of joined) {
    if (!present || present[table]) continue;
    root.set(name, `row[${at}] === null ? null : ${write(root.get(name) ?? "null")}`);
  }
  const decoders = columns.map((_, at) => `decode${at}`).join();
  const make = new Function(decoders, `return (row) => (${write(root)});`);
  return make(...columns.map(({ decode }) => decode)) as MapRow;
}

/** Members by their names: other objects, or what is written for a value. */
type Branch = Map<string, Branch | string>;

function write(node: Branch | string): string {
  if (typeof node === "string") return node;
  return `{ ${[...node].map(([name, member]) => `${JSON.stringify(name)}: ${write(member)}`).join()} }`;
}
