import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Logger } from "pino";
import type { PublicClient } from "viem";
import type { Chain, Config } from "../config.ts";
import type { Database } from "../db/client.ts";
import type { Caller } from "./access.ts";

/** What every route works with, made once per process. */
export type Context = {
  config: Config;
  db: Database;
  log: Logger;
  /** the chain of this id and a client for it, or undefined where it is not served */
  chain: (chainId: number) => { chain: Chain; client: PublicClient } | undefined;
};

export type Variables = { requestId: string; caller: Caller | undefined };
export type App = OpenAPIHono<{ Variables: Variables }>;
