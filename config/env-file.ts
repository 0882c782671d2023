// The commands of package.json import this file first: it reads `.env`. Node's `--env-file-if-exists` prints a line where
// the file is missing.

import { existsSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

// A thread that runs callers' schemas gets no setting.
if (isMainThread && existsSync(".env")) process.loadEnvFile();
