import type { Config } from "../../config/config.ts";
import type { Database } from "../../db/client.ts";
import { Refusal } from "../refusal.ts";
import { type FileStore, openFileStore } from "./store/file-store.ts";
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

/** The refusal while the store does not answer, or its disk is full. */
export function refuseStoreAway(): Refusal {
  return new Refusal(
    "dependency_unavailable",
    "The store of files does not take or give bytes now. Try again later.",
  );
}
