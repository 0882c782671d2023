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
import { expectStatus, type Session, signIn } from "../../harness/api.ts";
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
  await api.db
    .update(accountErasure)
    .set({ nextAt: sql`now()` })
    .where(eq(accountErasure.accountId, who.accountId));
  while (
    (await createEraser({ db: api.db, log, slice: 0, pause: 0 })(new AbortController().signal)) !== null
  );
  const { config, db } = api;
  await createDataExporter({ db, config, log })(new AbortController().signal);
  await removeDueFiles({ db, config }, createOpenStore({ db, config }));
  return lines.join("");
}

/** Finds the places in the database that have a text: `table.column`, with the text. Bytes are read as characters. */
async function findInDatabase(text: string): Promise<string[]> {
  const { db } = marked.court.api;
  const { rows: tables } = await db.execute<{ name: string; bytes: string[] }>(sql`
    select relname as name, array_agg(attname::text) filter (where atttypid = 'bytea'::regtype) as bytes
    from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = 'earnest'::regnamespace and relkind in ('r', 'p') and attnum > 0 group by 1 order by 1`);
  expect(tables.length).toBeGreaterThan(80);
  const found: string[] = [];
  for (const { name, bytes } of tables) {
    const decoded = (bytes ?? []).map(
      (column) => sql`|| jsonb_build_object(${column}::text, encode(${sql.identifier(column)}, 'escape'))`,
    );
    const { rows } = await db.execute<{ column: string; value: string }>(sql`
      select pair.key as column, pair.value from earnest.${sql.identifier(name)} as t,
        jsonb_each_text(to_jsonb(t) ${sql.join(decoded, sql` `)}) as pair where pair.value ilike ${`%${text}%`}`);
    for (const { column, value } of rows) {
      const at = value.toLowerCase().indexOf(text);
      found.push(`${name}.${column}: ${value.slice(Math.max(0, at - 20), at + 40)}`);
    }
  }
  return found;
}

function findInFiles(text: string): string[] {
  const folder = marked.court.api.config.files.directory;
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .filter((entry) =>
      (entry.name + readFileSync(join(entry.parentPath, entry.name), "latin1")).includes(text),
    )
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
  // The other account keeps what it bought and its own words: here a tag of its request.
  const kept = /^(file\.name|order\.output_payload|stage_output\.output): .*qzxoutput|^open_request\.tags/;
  expect((await findInDatabase(leaving)).filter((place) => !kept.test(place))).toEqual([]);
  expect(findInFiles(leaving)).toEqual(findInFiles("qzxoutputfile"));
  expect(await readRecord()).toEqual(before.record);
  expect((await findInDatabase(staying)).length).toBeGreaterThan(before.others * 0.8);
  void orders;
  void fact;
  void order;
  void signIn;
});
