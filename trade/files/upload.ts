import { Readable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import type { IHasher } from "hash-wasm";
import type { Hex } from "viem";
import type { Database } from "../../db/client.ts";
import { and, eq, isNull, sql } from "../../db/drizzle.ts";
import { file } from "../../db/schema.ts";
import { Refusal } from "../refusal.ts";
import { type FileRow, refuseUnknownFile } from "./file-access.ts";
import type { FileStore } from "./store/file-store.ts";
import { leaseUpload } from "./upload-lease.ts";

/** The beginning of a file, by which its type is found. */
const sampleBytes = 4100;

/** The requests that send bytes of a file: a few for each mebibyte. Each costs the store a write. */
const mostWrites = (size: number) => 1000 + Math.ceil(size / (1024 * 1024)) * 4;

/** Reads the row of an upload or a file; undefined after its deletion. */
export async function findFile(db: Database, id: string): Promise<FileRow | undefined> {
  const [row] = await db
    .select()
    .from(file)
    .where(and(eq(file.id, id), isNull(file.erasedAt)));
  return row;
}

/**
 * Writes bytes of an upload, and hashes them while they pass. The state of the hash is stored with the new offset, so that
 * the next request continues it. The request must hold the lease of the upload.
 *
 * @returns the new offset
 * @throws Refusal `conflict` after too many requests
 */
export async function writeBytes(
  db: Database,
  store: FileStore,
  row: FileRow,
  bytes: Readable,
  offset: number,
): Promise<number> {
  if (row.writes >= mostWrites(row.size)) {
    throw new Refusal("conflict", "This upload took too many requests. Delete it, and send larger parts.");
  }
  // A store that lost its last bytes gets them again. The hash covers them already, so the complete file is hashed anew.
  const lost = offset < row.hashed ? { hashState: null, hashed: 0 } : {};
  await db
    .update(file)
    .set({ writes: sql`${file.writes} + 1`, ...lost })
    .where(eq(file.id, row.id));
  const hasher = await resumeHash(store, { ...row, ...lost }, offset);
  let passed = 0;
  let fault: unknown = null;
  // A connection that breaks ends the bytes like a whole request, so that the store keeps what arrived.
  async function* hashed() {
    try {
      for await (const chunk of bytes) {
        if (hasher) await updateHash(hasher, chunk);
        passed += chunk.length;
        yield chunk;
      }
    } catch (error) {
      fault = error;
    }
  }
  const written = await store.uploads.write(Readable.from(hashed(), { objectMode: false }), row.id, offset);
  // A store that kept less than what passed is read when the upload is complete.
  if (hasher && written === offset + passed) {
    await db.update(file).set({ hashState: hasher.save(), hashed: written }).where(eq(file.id, row.id));
  }
  if (fault) throw fault;
  return written;
}

/**
 * Returns the state of the hash before a byte; null if the bytes until there can only be read when the upload is complete.
 * Bytes that a broken request left in the store are read.
 */
async function resumeHash(store: FileStore, row: FileRow, offset: number): Promise<IHasher | null> {
  if (offset > row.hashed && !store.readsUploads) return null;
  return hashUntil(store, row, offset);
}

/** Bytes that are hashed before other work of the process has its turn: about a millisecond. */
const slice = 256 * 1024;

async function updateHash(hasher: IHasher, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; at += slice) {
    if (at > 0) await turn();
    hasher.update(chunk.subarray(at, at + slice));
  }
}

async function hashUntil(
  store: FileStore,
  { id, hashState, hashed }: FileRow,
  end: number,
  save?: { every: number; progress: (state: Uint8Array, hashed: number) => Promise<unknown> },
  signal?: AbortSignal,
): Promise<IHasher> {
  const { createSHA256 } = await import("hash-wasm");
  const hasher = await createSHA256();
  if (hashState && hashed > 0) hasher.load(hashState);
  else hasher.init();
  let at = hashState ? hashed : 0;
  let saved = at;
  if (at >= end) return hasher;
  for await (const chunk of await store.read(id, { start: at, end: end - 1 })) {
    signal?.throwIfAborted();
    await updateHash(hasher, chunk);
    at += chunk.length;
    if (!save || at - saved < save.every) continue;
    await save.progress(hasher.save(), at);
    saved = at;
  }
  return hasher;
}

/** The bytes between two stored states of the hash of a file that is read again. */
const usualSave = 64 * 1024 * 1024;

/**
 * Completes an upload whose bytes are all in the store: checks the hash that the uploader named, and finds the type by the
 * content. A complete file does not change. After a crash, the file is read again. A request that ends before leaves the
 * state of the hash to the next one.
 *
 * The lease of the upload lets one request do this at a time.
 *
 * @throws Refusal `file_hash_mismatch`, after which the bytes are deleted; `file_not_found`; `upload_busy`
 */
export async function completeUpload(
  context: { db: Database; unusedSeconds: number; every?: number },
  store: FileStore,
  id: string,
): Promise<FileRow> {
  const { db } = context;
  const found = await findFile(db, id);
  if (!found) throw refuseUnknownFile(id);
  if (found.completedAt) return found;
  const lost = new AbortController();
  const endLease = await leaseUpload(db, id, () => lost.abort());
  try {
    const row = await findFile(db, id);
    if (!row) throw refuseUnknownFile(id);
    return row.completedAt ? row : await completeLeased(context, store, row, lost.signal);
  } finally {
    // A lease that is not ended runs out.
    await endLease().catch(() => {});
  }
}

async function completeLeased(
  { db, unusedSeconds, every = usualSave }: { db: Database; unusedSeconds: number; every?: number },
  store: FileStore,
  row: FileRow,
  signal: AbortSignal,
): Promise<FileRow> {
  const { id } = row;
  const own = and(eq(file.id, id), isNull(file.completedAt), isNull(file.erasedAt));
  const progress = (hashState: Uint8Array, hashed: number) =>
    db.update(file).set({ hashState, hashed }).where(own);
  const hasher = await hashUntil(store, row, row.size, { every, progress }, signal);
  const sha256: Hex = `0x${hasher.digest()}`;
  if (row.namedSha256 && row.namedSha256 !== sha256) {
    await db.update(file).set({ erasedAt: sql`now()` }).where(own);
    await removeBytes(db, store, id);
    const message = `The bytes have the SHA-256 ${sha256}, but the upload named ${row.namedSha256}. They are deleted: upload the file again.`;
    throw new Refusal("file_hash_mismatch", message);
  }
  const type = await readType(store, row);
  const dueAt = sql`now() + make_interval(secs => ${unusedSeconds})`;
  const [complete] = await db
    .update(file)
    .set({ sha256, type, dueAt, completedAt: sql`now()`, hashState: null })
    .where(own)
    .returning();
  // The owner deleted the file meanwhile.
  if (!complete) throw refuseUnknownFile(id);
  return complete;
}

/** Finds the media type by the first bytes. Archives are not unpacked, and no word of the uploader counts. */
async function readType(store: FileStore, { id, size }: FileRow): Promise<string> {
  const parts: Uint8Array[] = [];
  const end = Math.min(size, sampleBytes) - 1;
  for await (const chunk of await store.read(id, { start: 0, end })) parts.push(chunk);
  const sample = Buffer.concat(parts);
  const { fileTypeFromBuffer } = await import("file-type");
  const found = await fileTypeFromBuffer(sample).catch(() => undefined);
  return found?.mime ?? (isText(sample) ? "text/plain" : "application/octet-stream");
}

/** Whether a sample is UTF-8 without U+0000. The last character may be cut. */
function isText(sample: Buffer): boolean {
  try {
    return !new TextDecoder("utf-8", { fatal: true }).decode(sample, { stream: true }).includes("\0");
  } catch {
    return false;
  }
}

/** Removes the bytes of an erased file from the store. The row of a file that no order names is deleted. */
export async function removeBytes(db: Database, store: FileStore, id: string): Promise<void> {
  await store.remove(id);
  const erased = and(eq(file.id, id), sql`${file.erasedAt} is not null`);
  await db
    .update(file)
    .set({ removedAt: sql`now()`, hashState: null })
    .where(and(erased, isNull(file.removedAt)));
  await db.delete(file).where(and(erased, eq(file.uses, 0)));
}
