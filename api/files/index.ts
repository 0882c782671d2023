import { createOpenStore } from "../../trade/files/open-store.ts";
import type { Context } from "../context.ts";
import type { SendBytes } from "../http/byte-sender.ts";
import type { App } from "../variables.ts";
import { addDownloads } from "./downloads.ts";
import type { Downloads } from "./file-link.ts";
import { addFileRoutes } from "./files.ts";
import { addUploads } from "./uploads.ts";

/** Adds the files of accounts: their JSON, their uploads and their downloads, of which the last two are at the root. @returns the maker of links */
export function addFiles(app: App, root: App, context: Context, sendBytes: SendBytes): Downloads {
  const openStore = createOpenStore(context);
  const downloads = addDownloads(root, context, openStore, sendBytes);
  addFileRoutes(app, context, openStore, downloads);
  addUploads(root, context, openStore);
  return downloads;
}
