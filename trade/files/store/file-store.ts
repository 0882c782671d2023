import type { Readable } from "node:stream";
import type { DataStore, KvStore, Upload } from "@tus/server";
import type { Config } from "../../../config/config.ts";

/** The first and the last byte of a part of a file. */
export type ByteRange = { start: number; end: number };

/** The place of the bytes of all files, each under its id. */
export type FileStore = {
  /** takes the bytes of uploads */
  uploads: DataStore;
  /** whether the bytes of an upload that is not complete can be read */
  readsUploads: boolean;
  read(id: string, range: ByteRange): Promise<Readable>;
  /** Removes a file or an upload. An id without bytes is no error. */
  remove(id: string): Promise<void>;
  /** Signs the URL of a download from the store itself; null if the store gives none. */
  sign(id: string, download: { disposition: string; seconds: number }): Promise<string | null>;
};

/** Reads the upload of a file's row. */
export type FindUpload = (id: string) => Promise<Upload | undefined>;

/**
 * Opens the store that the settings name. The packages of a store are loaded with the first file, so they do not slow the
 * start of a program.
 *
 * @param findUpload reads an upload's size, which the row of the file has
 */
export async function openFileStore(
  { files }: Pick<Config, "files">,
  findUpload: FindUpload,
): Promise<FileStore> {
  if (files.s3) {
    const { openBucket } = await import("./bucket.ts");
    return openBucket(files.s3);
  }
  const { openFolder } = await import("./folder.ts");
  return openFolder(files.directory, rowsOf(findUpload));
}

/** The row of a file has what tus stores of an upload. */
function rowsOf(find: FindUpload): KvStore {
  return { get: find, set: async () => {}, delete: async () => {} };
}
