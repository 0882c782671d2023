import { createReadStream } from "node:fs";
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { Zip, ZipDeflate, ZipPassThrough } from "fflate";
import type { Logger } from "pino";
import type { Config } from "../../config/config.ts";
import type { Database, Transaction } from "../../db/client.ts";
import { and, asc, eq, isNotNull, isNull, lt, ne, sql } from "../../db/drizzle.ts";
import { dataExport, file as fileTable } from "../../db/schema.ts";
import { inTransaction } from "../../db/transaction.ts";
import { type AccountTable, accountTables } from "../../trade/privacy/account-tables.ts";
import { type DataExport, exportDays, openExportStore } from "../../trade/privacy/data-export.ts";

/** Rows that are read at once. A row of an order has two payloads, each of up to 256 KiB. */
const batch = 50;
/** Bytes that are compressed before other work of the process has its turn. */
const slice = 256 * 1024;
const mostAttempts = 3;
/** The most bytes of an export, and of its data before the compression. The format of the file counts in 32 bits. */
const largest = 1024 ** 3;
const mostUnpacked = 3 * 1024 ** 3;
/** The part of the space for files that all exports may take, and the part of it that the files of one export may take. */
const share = 1 / 8;
const shareOfFiles = 1 / 64;
/** The most files of an export. */
const mostFiles = 5000;

const readme = `This archive has the data of your account, as the service stores it: a JSON file for each kind of data.
It has no secrets: no keys, no tokens, no hashes of them.
Your files are in the folder files, the oldest first, as far as they fit. files.json lists all of them, and names the request
that answers a link to each one.
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
      await writeTables(db, row.accountId, folder, signal);
      const most = Math.min(config.files.largest, largest);
      const space = config.files.inAll * share;
      const others = await readHeld(row.id);
      // Files take half of the space at most, so that they leave room for the data of other accounts.
      const files = await listFiles(
        row.accountId,
        Math.min(most / 2, space * shareOfFiles, space / 2 - others),
      );
      const size = await writeZip(folder, path, { most, files, signal });
      if ((await readHeld(row.id)) + size > space) throw new ExportFailure("no_space");
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

  /** Reads the bytes of all other exports. */
  async function readHeld(id: string): Promise<number> {
    const [held] = await db
      .select({ bytes: sql<string>`coalesce(sum(${dataExport.size}), 0)` })
      .from(dataExport)
      .where(ne(dataExport.id, id));
    return Number(held?.bytes ?? 0);
  }

  /**
   * Lists the files that go into the export of an account, the oldest first.
   *
   * @param most bytes of all of them
   */
  async function listFiles(accountId: string, most: number): Promise<ExportedFile[]> {
    const rows = await db
      .select({ id: fileTable.id, name: fileTable.name, size: fileTable.size })
      .from(fileTable)
      .where(
        and(
          eq(fileTable.accountId, accountId),
          isNotNull(fileTable.completedAt),
          isNull(fileTable.erasedAt),
          isNull(fileTable.withheldAt),
        ),
      )
      .orderBy(asc(fileTable.createdAt), asc(fileTable.id))
      .limit(mostFiles);
    let left = most;
    const { read } = await openStore();
    return rows
      .filter(({ size }) => {
        if (size > left) return false;
        left -= size;
        return true;
      })
      .map(({ id, name, size }) => ({
        // A name of a file is no path.
        name: `files/${id}-${name.replaceAll(/[^\w.-]+/g, "_")}`,
        open: () =>
          size === 0
            ? Promise.resolve([])
            : read(id, { start: 0, end: size - 1 }).catch((error: unknown) => {
                log.warn(
                  { file: id, err: error },
                  "a file is left out of an export: its bytes cannot be read",
                );
                return null;
              }),
      }));
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

/** A file of the account. It opens as null if the store cannot read it. */
type ExportedFile = { name: string; open: () => Promise<Iterable<Buffer> | AsyncIterable<Buffer> | null> };

const fileOf = ({ name }: AccountTable) => `${name}.json`;

/**
 * Writes the data of an account as files of JSON, all from one snapshot. The compression follows later, so that the snapshot
 * does not hold up the database's cleaning.
 */
async function writeTables(
  db: Database,
  accountId: string,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  let left = mostUnpacked;
  await inTransaction(
    db,
    async (tx) => {
      for (const table of accountTables) {
        const file = await open(join(folder, fileOf(table)), "w", 0o600);
        try {
          await writeRows(tx, file, table, accountId);
        } finally {
          await file.close();
        }
      }
    },
    "isolation level repeatable read read only",
  );

  /** Numbers stay exact, because PostgreSQL writes the text. A cursor reads a table of any length once. */
  async function writeRows(tx: Transaction, file: FileHandle, { select }: AccountTable, id: string) {
    await tx.execute(sql`
      declare exported no scroll cursor for select to_jsonb(data)::text as text from (${select(id)}) as data`);
    await file.write("[");
    for (let isFirst = true; ; isFirst = false) {
      signal.throwIfAborted();
      const { rows } = await tx.execute<{ text: string }>(sql`fetch ${sql.raw(String(batch))} from exported`);
      const text = rows.map((row, at) => `${isFirst && at === 0 ? "" : ","}\n${row.text}`).join("");
      left -= Buffer.byteLength(text);
      if (left < 0) throw new ExportFailure("too_large");
      await file.write(text);
      if (rows.length < batch) break;
    }
    await tx.execute(sql`close exported`);
    await file.write("\n]\n");
  }
}

/**
 * Packs the data in a folder and the account's files as a zip file, and removes the data that is packed. Returns the number of
 * its bytes.
 */
async function writeZip(
  folder: string,
  path: string,
  { most, files, signal }: { most: number; files: readonly ExportedFile[]; signal: AbortSignal },
): Promise<number> {
  const file = await open(path, "w", 0o600);
  let chunks: Uint8Array[] = [];
  let fault: Error | null = null;
  let size = 0;
  const zip = new Zip((error, chunk) => {
    fault ??= error;
    if (chunk) chunks.push(chunk);
  });
  try {
    await add("README.txt", [Buffer.from(readme)]);
    for (const table of accountTables) {
      const packed = join(folder, fileOf(table));
      await add(fileOf(table), createReadStream(packed, { highWaterMark: slice }));
      await rm(packed);
    }
    // Most files are compressed already.
    for (const { name, open: openFile } of files) {
      const parts = await openFile();
      if (parts) await add(name, parts, new ZipPassThrough(name));
    }
    zip.end();
    await flush();
    return size;
  } finally {
    await file.close();
  }

  async function add(
    name: string,
    parts: Iterable<Buffer> | AsyncIterable<Buffer>,
    entry: ZipDeflate | ZipPassThrough = new ZipDeflate(name, { level: 6 }),
  ): Promise<void> {
    zip.add(entry);
    for await (const part of parts) {
      signal.throwIfAborted();
      entry.push(part);
      await flush();
      await turn();
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
