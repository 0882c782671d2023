import type postgres from "postgres";
import { z } from "zod";
import { type OrderTable, orderTables } from "./tables.ts";

/** The most orders that are copied from, and the accounts among which the copies are spread. */
const mostSeeds = 200;
const accounts = 1000;
/** Copies of all seeds in one transaction. */
const chunk = 200;

/** The rows of settled orders, as JSON for each table. */
export type Seeds = { orders: number; rows: Record<OrderTable, string> };

/** Reads the rows of settled orders from a database of Earnest. It changes nothing there. */
export async function readSeeds(source: postgres.Sql): Promise<Seeds> {
  const chosen = `with chosen as (
    select id from earnest."order" where status = 'released' order by created_at limit ${mostSeeds})`;
  const rows = {} as Record<OrderTable, string>;
  for (const [table, condition] of Object.entries(orderTables)) {
    const [found] = z.array(z.object({ rows: z.string() })).parse(
      await source.unsafe(
        `${chosen} select coalesce(jsonb_agg(to_jsonb(t)), '[]')::text as rows
           from earnest."${table}" as t where ${condition.replaceAll("scale.chosen", "chosen")}`,
      ),
    );
    rows[table as OrderTable] = found?.rows ?? "[]";
  }
  const orders = z.array(z.unknown()).parse(JSON.parse(rows.order)).length;
  if (orders === 0) throw new Error("The source database has no released order: place and settle one there.");
  return { orders, rows };
}

/**
 * Prepares an empty database that has the migration of Earnest: the seeds lie in the schema `scale`, beside a function that
 * derives the texts of a copy. Ids keep their form: copies of a later number have later ids.
 */
export async function prepareFill(target: postgres.Sql, { rows }: Seeds): Promise<void> {
  await target.unsafe(`
    create schema scale;
    create function scale.copied(v text, n bigint) returns text language sql immutable parallel safe as $$
      select case
        when v ~ '^[a-z]{3}_[0-9a-z]{26}'
          then left(v, 4) || '01' || lpad(to_hex(n), 8, '0') || left(md5(left(v, 30) || n), 16) || substr(v, 31)
        when v ~ '^0x[0-9a-f]{64}'
          then '0x' || md5(left(v, 66) || n) || md5(n || left(v, 66)) || substr(v, 67)
        else left(v, greatest(length(v) - 16, 0)) || right(md5(v || n), least(length(v), 16)) end $$`);
  for (const table of Object.keys(orderTables) as OrderTable[]) {
    await target.unsafe(`create table scale."${table}" as select * from earnest."${table}" with no data`);
    await target.unsafe(
      `insert into scale."${table}" select * from jsonb_populate_recordset(null::earnest."${table}", $1::text::jsonb)`,
      [rows[table]],
    );
  }
}

const columnsSchema = z.array(z.object({ name: z.string(), type: z.string() }));

/** Selects the columns of a copy. `n` is the number of the copy, and each copy is a step of time later. */
async function copyOf(target: postgres.Sql, table: OrderTable, stepSeconds: number) {
  const columns = columnsSchema.parse(
    await target.unsafe(
      `select column_name as name, data_type as type from information_schema.columns
       where table_schema = 'earnest' and table_name = $1 and is_generated = 'NEVER'
         and column_default is distinct from 'nextval(''earnest.' || table_name || '_' || column_name || '_seq''::regclass)'
       order by ordinal_position`,
      [table],
    ),
  );
  const value = ({ name, type }: { name: string; type: string }): string => {
    if (type.startsWith("timestamp")) return `"${name}" + n * interval '1 second' * ${stepSeconds}`;
    if (name === "index")
      return `row_number() over (partition by n) + n * (select count(*) from scale.log_entry)`;
    if (name === "block_number") return `"${name}" + n`;
    if (name === "nonce" && type === "integer") return `"nonce" + (1000 * n)::integer`;
    if (type !== "text") return `"${name}"`;
    if (/account_id$|^agent_id$|^service_id$|^endpoint_id$/.test(name))
      return `scale.copied("${name}", n % ${accounts})`;
    if (name === "reference") return `left("reference", 2) || md5("reference" || n)`;
    if (/^id$|_id$|^key$|^subject$|_hash$|^scope$|nonce$/.test(name)) return `scale.copied("${name}", n)`;
    return `"${name}"`;
  };
  const names = columns.map(({ name }) => `"${name}"`).join(", ");
  return { names, values: columns.map(value).join(", ") };
}

/**
 * Writes copies of the seeds into tables, as fast as SQL can. Triggers and foreign keys rest meanwhile.
 *
 * @param options.into the schema of the tables
 * @param options.stepSeconds time between two copies of all seeds
 */
export async function fillCopies(
  target: postgres.Sql,
  options: {
    tables?: readonly OrderTable[];
    into?: string;
    copies: { from: number; to: number };
    stepSeconds: number;
    say?: (line: string) => void;
  },
): Promise<void> {
  const { into = "earnest", copies, stepSeconds, say } = options;
  const tables = options.tables ?? (Object.keys(orderTables) as OrderTable[]);
  await target.unsafe("set session_replication_role = replica; set synchronous_commit = off");
  const parts = await Promise.all(
    tables.map(async (table) => ({ table, ...(await copyOf(target, table, stepSeconds)) })),
  );
  for (let from = copies.from; from < copies.to; from += chunk) {
    const to = Math.min(from + chunk, copies.to) - 1;
    for (const { table, names, values } of parts)
      await target.unsafe(
        `insert into ${into}."${table}" (${names})
         select ${values} from generate_series(${from}::bigint, ${to}) as n cross join scale."${table}" order by n`,
      );
    say?.(`copies ${from} to ${to}`);
  }
}

const sizesSchema = z.array(
  z.object({
    table: z.string(),
    rows: z.coerce.number(),
    heap: z.coerce.number(),
    indexes: z.array(z.object({ name: z.string(), bytes: z.coerce.number() })),
  }),
);
export type TableSizes = z.output<typeof sizesSchema>;

/** Reads rows and bytes of the tables of orders, and the bytes of each of their indexes. */
export async function readTableSizes(source: postgres.Sql): Promise<TableSizes> {
  const found: unknown[] = [];
  for (const table of Object.keys(orderTables))
    found.push(
      ...(await source.unsafe(
        `select relname as table, (select count(*) from earnest."${table}") as rows, pg_table_size(oid) as heap,
           (select jsonb_agg(jsonb_build_object('name', indexrelid::regclass::text, 'bytes', pg_relation_size(indexrelid))
              order by pg_relation_size(indexrelid) desc) from pg_index where indrelid = oid) as indexes
         from pg_class where oid = 'earnest."${table}"'::regclass`,
      )),
    );
  return sizesSchema.parse(found);
}
