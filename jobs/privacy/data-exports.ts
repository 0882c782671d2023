import { createReadStream } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { Zip, ZipDeflate } from "fflate";
import type { Logger } from "pino";
import type { Config } from "../../config/config.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { asc, eq, lt, ne, sql } from "../../db/drizzle.ts";
import { dataExport } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { type AccountTable, accountTables } from "../../trade/privacy/account-tables.ts";
import { type DataExport, exportDays, openExportStore } from "../../trade/privacy/data-export.ts";

/** Rows that are read at once. A row of an order has two payloads, each of up to 256 KiB. */
const batch = 50;
/** Characters that are compressed before other work of the process has its turn. */
const slice = 256 * 1024;
const mostAttempts = 3;
/** The most bytes of an export, and of its data before the compression. The format of the file counts in 32 bits. */
const largest = 1024 ** 3;
const mostUnpacked = 3 * 1024 ** 3;
/** The part of the space for files that all exports may take. */
const share = 1 / 8;

const readme = `This archive has the data of your account, as the service stores it: a JSON file for each kind of data.
It has no secrets: no keys, no tokens, no hashes of them. GET /files lists the bytes of your files for download.
Amounts of orders are in base units of the token.
`;

type Failure = NonNullable<DataExport["failure"]>;
class ExportFailure extends Error {
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure);
    this.failure = failure;
  }
}

type Parts = { db: Database; config: Pick<Config, "files">; log: Logger };

/** Makes the task that makes waiting exports, one at a time, and removes old ones. It returns 1 while others wait. */
export function createDataExporter({ db, config, log }: Parts) {
  let store: ReturnType<typeof openExportStore> | undefined;
  const openStore = () => {
    store ??= openExportStore({ db, config });
    return store;
  };

  return async (signal: AbortSignal): Promise<number | null> => {
    await removeOld();
    const [next] = await db
      .update(dataExport)
      .set({ attempts: sql`${dataExport.attempts} + 1` })
      .where(
        eq(
          dataExport.id,
          db
            .select({ id: dataExport.id })
            .from(dataExport)
            .where(eq(dataExport.status, "waiting"))
            .orderBy(asc(dataExport.createdAt), asc(dataExport.id))
            .limit(1),
        ),
      )
      .returning();
    if (!next) return null;
    try {
      if (next.attempts > mostAttempts) throw new ExportFailure("error");
      await write(next, signal);
      log.info({ export: next.id }, "an account's data is exported");
    } catch (error) {
      if (!(error instanceof ExportFailure)) throw error;
      await finish(next, { status: "failed", failure: error.failure });
      log.warn({ export: next.id, failure: error.failure }, "an account's data is not exported");
    }
    return 1;
  };

  async function write(row: DataExport, signal: AbortSignal): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), "earnest-export-"));
    try {
      const path = join(folder, "data.zip");
      const size = await writeZip(db, row.accountId, path, {
        most: Math.min(config.files.largest, largest),
        signal,
      });
      const [held] = await db
        .select({ bytes: sql<string>`coalesce(sum(${dataExport.size}), 0)` })
        .from(dataExport)
        .where(ne(dataExport.id, row.id));
      if (Number(held?.bytes ?? 0) + size > config.files.inAll * share) throw new ExportFailure("no_space");
      // A worker that died after this line has counted the size, so the bytes of any attempt stay bounded.
      await db.update(dataExport).set({ size }).where(eq(dataExport.id, row.id));
      const { uploads, remove } = await openStore();
      await remove(row.stored);
      const { Upload } = await import("@tus/server");
      await uploads.create(new Upload({ id: row.stored, size, offset: 0 }));
      await uploads.write(createReadStream(path), row.stored, 0);
      await finish(row, { status: "ready" });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  async function finish({ id }: DataExport, set: Pick<Partial<DataExport>, "status" | "failure">) {
    await db
      .update(dataExport)
      .set({ ...set, finishedAt: sql`now()` })
      .where(eq(dataExport.id, id));
  }

  async function removeOld(): Promise<void> {
    const old = await db
      .select()
      .from(dataExport)
      .where(lt(dataExport.createdAt, sql`now() - make_interval(days => ${exportDays})`))
      .limit(batch);
    for (const { id, stored } of old) {
      await (await openStore()).remove(stored);
      await db.delete(dataExport).where(eq(dataExport.id, id));
    }
  }
}

/** Writes the data of an account as a zip file, a batch of rows at a time. Returns the number of its bytes. */
async function writeZip(
  db: Database,
  accountId: string,
  path: string,
  { most, signal }: { most: number; signal: AbortSignal },
): Promise<number> {
  const file = await open(path, "w", 0o600);
  let chunks: Uint8Array[] = [];
  let fault: Error | null = null;
  let [size, unpacked] = [0, 0];
  const zip = new Zip((error, chunk) => {
    fault ??= error;
    if (chunk) chunks.push(chunk);
  });
  const encoder = new TextEncoder();
  try {
    await add("README.txt", [readme]);
    // One snapshot, so that the files of the archive agree.
    await inTransaction(
      db,
      async (tx) => {
        for (const table of accountTables) await add(`${table.name}.json`, jsonOf(tx, table, accountId));
      },
      "isolation level repeatable read read only",
    );
    zip.end();
    await flush();
    return size;
  } finally {
    await file.close();
  }

  async function add(name: string, texts: Iterable<string> | AsyncIterable<string>): Promise<void> {
    const entry = new ZipDeflate(name, { level: 6 });
    zip.add(entry);
    for await (const text of texts) {
      for (let at = 0; at < text.length; at += slice) {
        signal.throwIfAborted();
        const bytes = encoder.encode(wellCut(text, at, at + slice));
        unpacked += bytes.length;
        if (unpacked > mostUnpacked) throw new ExportFailure("too_large");
        entry.push(bytes);
        await flush();
        await turn();
      }
    }
    entry.push(new Uint8Array(), true);
    await flush();
  }

  async function flush(): Promise<void> {
    if (fault) throw fault;
    const ready = chunks;
    chunks = [];
    for (const chunk of ready) {
      size += chunk.length;
      if (size > most) throw new ExportFailure("too_large");
      await file.write(chunk);
    }
  }
}

/** Cuts a text without a surrogate pair between two parts. */
function wellCut(text: string, from: number, to: number): string {
  const isLow = (at: number) => at < text.length && text.charCodeAt(at) >> 10 === 0x37;
  return text.slice(isLow(from) ? from + 1 : from, isLow(to) ? to + 1 : to);
}

/** The rows of a table as JSON. Numbers stay exact, because PostgreSQL writes the text. A cursor reads a table of any length once. */
async function* jsonOf(tx: Transaction, { select }: AccountTable, accountId: string): AsyncGenerator<string> {
  await tx.execute(sql`
    declare exported no scroll cursor for
    select (to_jsonb(data) - 'key')::text as text from (${select(accountId)}) as data order by key collate "C"`);
  yield "[";
  let isFirst = true;
  for (;;) {
    const { rows } = await tx.execute<{ text: string }>(sql`fetch ${sql.raw(String(batch))} from exported`);
    for (const { text } of rows) {
      yield `${isFirst ? "" : ","}\n${text}`;
      isFirst = false;
    }
    if (rows.length < batch) break;
  }
  await tx.execute(sql`close exported`);
  yield "\n]\n";
}
