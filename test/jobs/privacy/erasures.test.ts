import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { eq, sql } from "drizzle-orm";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accountErasure, fact, order } from "../../../db/schema.ts";
import { createDataExporter } from "../../../jobs/privacy/data-exports.ts";
import { createEraser } from "../../../jobs/privacy/erasures.ts";
import { removeDueFiles } from "../../../trade/files/file-removal.ts";
import { createOpenStore } from "../../../trade/files/open-store.ts";
import { expectStatus, signIn, type Session } from "../../harness/api.ts";
import { createMarkedTrade, leaving, type MarkedTrade, staying } from "../../harness/market/marked-trade.ts";
import { ask } from "../../harness/market/market.ts";

let marked: MarkedTrade;
beforeAll(async () => {
  marked = await createMarkedTrade();
}, 120_000);
afterAll(() => marked?.close());

const request = (who: Session, method: string, body?: unknown) =>
  marked.court.api.request(method, "/me/erasure", { token: who.token, body });

/** Runs the task until nothing is due. A slice of no time is one batch, so a new worker carries out each. */
async function erase(who: Session): Promise<string> {
  const { api } = marked.court;
  const lines: string[] = [];
  const log = pino({ level: "trace" }, { write: (line: string) => lines.push(line) });
  await api.db.update(accountErasure).set({ nextAt: sql`now()` }).where(eq(accountErasure.accountId, who.accountId));
  while ((await createEraser({ db: api.db, log, slice: 0, pause: 0 })(new AbortController().signal)) !== null);
  const { config, db } = api;
  await createDataExporter({ db, config, log })(new AbortController().signal);
  await removeDueFiles({ db, config }, createOpenStore({ db, config }));
  return lines.join("");
}

/** Finds the places in the database that have a text: `table.column`, with its beginning. */
async function findInDatabase(text: string): Promise<string[]> {
  const { db } = marked.court.api;
  const { rows: columns } = await db.execute<{ name: string; column: string; type: string }>(sql`
    select relname as name, attname as column, format_type(atttypid, null) as type
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = 'earnest'::regnamespace and relkind in ('r', 'p') and attnum > 0 and not attisdropped`);
  expect(columns.length).toBeGreaterThan(600);
  const found: string[] = [];
  for (const { name, column, type } of columns) {
    const value = type === "bytea" ? sql`encode(${sql.identifier(column)}, 'escape')` : sql`${sql.identifier(column)}::text`;
    const { rows } = await db.execute<{ value: string }>(sql`
      select ${value} as value from earnest.${sql.identifier(name)} where ${value} ilike ${`%${text}%`} limit 3`);
    for (const row of rows) {
      const at = row.value.toLowerCase().indexOf(text);
      found.push(`${name}.${column}: ${row.value.slice(Math.max(0, at - 20), at + 40)}`);
    }
  }
  return found;
}

function findInFiles(text: string): string[] {
  const folder = marked.court.api.config.files.directory;
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .filter((entry) => (entry.name + readFileSync(join(entry.parentPath, entry.name), "latin1")).includes(text))
    .map(({ name }) => name);
}

/** The data that no erasure changes. */
async function readRecord() {
  const { db } = marked.court.api;
  const { rows } = await db.execute(sql`
    select id, order_hash, escrow_id, amount::text, status, completed_at, agreement ->> 'input_digest' as input,
      (select jsonb_agg(jsonb_build_array(id, seq, type, actor, key, transaction_hash, data ->> 'output_hash') order by seq)
        from earnest.fact where order_id = "order".id) as facts,
      (select jsonb_agg(document order by id) from earnest.receipt where order_id = "order".id) as receipts
    from earnest."order" order by id`);
  return rows;
}

test("an erasure leaves no word and no file of the account, while its record and the other's words stay", async () => {
  const { court, people, orders } = marked;
  expect((await findInDatabase(leaving)).length).toBeGreaterThan(100);
  expect(findInFiles(leaving).length).toBeGreaterThan(5);
  const before = { record: await readRecord(), others: (await findInDatabase(staying)).length };
  expectStatus(202, await ask(court, people.leaver, "POST", "/me/export"));
  expectStatus(202, await request(people.leaver, "POST", { confirm: people.leaver.accountId }));
  const logged = await erase(people.leaver);
  expect(logged).not.toContain(leaving);
  expect(await findInDatabase(leaving)).toEqual([]);
  expect(findInFiles(leaving)).toEqual([]);
  expect(await readRecord()).toEqual(before.record);
  expect((await findInDatabase(staying)).length).toBeGreaterThan(before.others * 0.8);
  void orders;
  void fact;
  void order;
  void signIn;
});
