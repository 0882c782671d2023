import type { Logger } from "pino";
import type { Config } from "../config/config.ts";
import type { Database } from "../db/client.ts";
import { removeDueFiles } from "../trade/files/file-removal.ts";
import { createOpenStore } from "../trade/files/open-store.ts";

/** Makes the rounds that remove the bytes of files whose time has come. */
export function createFileRemovalRounds(
  db: Database,
  config: Pick<Config, "files">,
  { log, signal }: { log: Logger; signal: AbortSignal },
): () => Promise<void> {
  const openStore = createOpenStore({ db, config });
  return async () => {
    const removed = await removeDueFiles({ db, config }, openStore, signal);
    if (removed > 0) log.info({ files: removed }, "the bytes of unused and old files are removed");
  };
}
