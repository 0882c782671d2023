import { mkdirSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { FileStore as Folder } from "@tus/file-store";
import type { KvStore } from "@tus/server";
import { isId } from "../../../protocol/facts/ids.ts";
import type { FileStore } from "./file-store.ts";

/** Opens a folder as the store of files, which no other user of the machine can read. */
export function openFolder(directory: string, configstore: KvStore): FileStore {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return {
    uploads: new Folder({ directory, configstore }),
    readsUploads: true,
    // A missing file throws here, before the first byte of an answer.
    read: async (id, range) => (await open(pathOf(directory, id))).createReadStream(range),
    remove: (id) => rm(pathOf(directory, id), { force: true }),
    sign: async () => null,
  };
}

function pathOf(directory: string, id: string): string {
  if (!isId("fil", id)) throw new Error(`${id} is no id of a file.`);
  return join(directory, id);
}
