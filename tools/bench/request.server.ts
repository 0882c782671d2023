// The API alone, as `api/app.ts` makes it, and told by its parent when to note its statements.

import { serve } from "@hono/node-server";
import { drizzle } from "drizzle-orm/node-postgres";
import { createApp } from "../../api/app.ts";
import { createContext } from "../../api/context.ts";
import { createPublicAnswers } from "../../api/http/public-answers.ts";
import { readConfig } from "../../config/config.ts";

export type Statement = { text: string; values: unknown[] };
export type Asked = "note" | "noted";

let noted: Statement[] | undefined;
process.on("message", (asked: Asked) => {
  process.send?.(asked === "noted" ? noted : "done");
  noted = asked === "note" ? [] : undefined;
});

const config = readConfig();
const context = createContext(config);
const logger = { logQuery: (text: string, values: unknown[]) => void noted?.push({ text, values }) };
const noting = drizzle(context.db.$client, { logger });
const db = Object.assign(noting, { prepared: context.db.prepared });
const app = createApp({ ...context, db, answers: createPublicAnswers({ ...context, db }) });
serve({ fetch: app.fetch, port: config.port, hostname: "127.0.0.1" }, () => process.send?.("ready"));
