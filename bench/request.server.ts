// The API alone, as `api/app.ts` makes it, and told by its parent when to note statements and when to sample its stacks.

import { writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { serve } from "@hono/node-server";
import pg from "pg";
import { createApp } from "../api/app.ts";
import { createContext } from "../api/context.ts";
import { readConfig } from "../config.ts";
import { drawFlameGraph } from "./flame-graph.ts";

export type Statement = { text: string; values: unknown[]; name?: string };
export type Asked = "note" | "noted" | "sample" | { profile: string };

let noted: Statement[] | undefined;
const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
  const [first, second] = given;
  const {
    text = "",
    values = second,
    name,
  } = (typeof first === "string" ? { text: first } : first) as Statement;
  noted?.push({ text, values: Array.isArray(values) ? values : [], ...(name ? { name } : {}) });
  return (query as (...all: unknown[]) => unknown).apply(this, given);
} as typeof query;

const session = new Session();
session.connect();
process.on("message", async (asked: Asked) => {
  if (asked === "note") noted = [];
  if (asked === "noted") {
    process.send?.(noted);
    noted = undefined;
    return;
  }
  if (asked === "sample") {
    await session.post("Profiler.enable");
    await session.post("Profiler.setSamplingInterval", { interval: 200 });
    await session.post("Profiler.start");
  }
  if (typeof asked === "object") {
    const { profile } = await session.post("Profiler.stop");
    writeFileSync(`${asked.profile}.cpuprofile`, JSON.stringify(profile));
    writeFileSync(`${asked.profile}.svg`, drawFlameGraph(profile));
  }
  process.send?.("done");
});

const config = readConfig();
const app = createApp(createContext(config));
serve({ fetch: app.fetch, port: config.port, hostname: "127.0.0.1" }, () => process.send?.("ready"));
