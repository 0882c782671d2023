import type { KvStore, Upload } from "@tus/server";
import type { Config } from "../../config/config.ts";
import type { Database } from "../../db/client.ts";
import { Refusal } from "../refusal.ts";
import type { FileStore } from "./store/file-store.ts";
import { findFile } from "./upload.ts";

/** Opens the store of files, once for a process. */
export type OpenStore = () => Promise<FileStore>;

/** Makes the function that opens the store with the first file. */
export function createOpenStore({ config, db }: { config: Pick<Config, "files">; db: Database }): OpenStore {
  let opened: Promise<FileStore> | undefined;
  return () => {
    opened ??= openFileStore(config, async (id) => {
      const { Upload } = await import("@tus/server");
      const row = await findFile(db, id);
      return row && new Upload({ id, size: row.size, offset: 0, creation_date: row.createdAt.toISOString() });
    });
    return opened;
  };
}

/** Reads the upload of a file's row. */
type FindUpload = (id: string) => Promise<Upload | undefined>;

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
    const { openBucket } = await import("./store/bucket.ts");
    return openBucket(files.s3, files.uploads.total + files.downloads.total);
  }
  const { openFolder } = await import("./store/folder.ts");
  return openFolder(files.directory, rowsOf(findUpload));
}

/** The row of a file has what tus stores of an upload. */
function rowsOf(find: FindUpload): KvStore {
  return { get: find, set: async () => {}, delete: async () => {} };
}

/** The refusal while the store does not answer, or its disk is full. */
export function refuseStoreUnavailable(): Refusal {
  return new Refusal(
    "dependency_unavailable",
    "The store of files does not take or give bytes now. Try again later.",
  );
}
