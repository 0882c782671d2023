// The API of `api/app.ts`. On a message of the parent process, it records its SQL statements.

import { serve } from "@hono/node-server";
import { drizzle } from "drizzle-orm/node-postgres";
import { createApp } from "../../api/app.ts";
import { createContext } from "../../api/context.ts";
import { createPublicAnswers } from "../../api/http/public-answers.ts";
import { readConfig } from "../../config/config.ts";

export type Statement = { text: string; values: unknown[] };
/** `record` starts a recording. `stop` ends it and gets the recorded statements. */
export type Command = "record" | "stop";

let recorded: Statement[] | undefined;
process.on("message", (command: Command) => {
  process.send?.(command === "stop" ? recorded : "done");
  recorded = command === "record" ? [] : undefined;
});

const config = readConfig();
const context = createContext(config);
const logger = { logQuery: (text: string, values: unknown[]) => void recorded?.push({ text, values }) };
const recording = drizzle(context.db.$client, { logger });
const db = Object.assign(recording, { keepsStatements: context.db.keepsStatements });
const app = createApp({ ...context, db, answers: createPublicAnswers({ ...context, db }) });
serve({ fetch: app.fetch, port: config.port, hostname: "127.0.0.1" }, () => process.send?.("ready"));
