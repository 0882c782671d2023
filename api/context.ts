import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Logger } from "pino";
import { createPublicClient, http, type PublicClient } from "viem";
import type { Chain, Config } from "../config.ts";
import { type Database, openDatabase } from "../db/client.ts";
import { createLog } from "../log.ts";
import type { Caller } from "./access.ts";

/** What every route works with, made once per process. */
export type Context = {
  config: Config;
  db: Database;
  log: Logger;
  /** the chain of this id and a client for it, or undefined where it is not served */
  chain: (chainId: number) => { chain: Chain; client: PublicClient } | undefined;
};

export type Variables = {
  requestId: string;
  /** where the request came from; null where it came over no network */
  clientAddress: string | null;
  /** who the route let through */
  caller: Caller | undefined;
  /** whose token was sent, once it was looked at: null for none that is valid */
  recognised: Caller | null | undefined;
  /** of a write with an `Idempotency-Key`: what it makes has the id of this suffix, however often it is begun */
  effectId: string | undefined;
};
export type App = OpenAPIHono<{ Variables: Variables }>;

/** Makes the context: a pool on the database, a log on standard output, and a client for each chain. */
export function createContext(config: Config): Context {
  const chains = new Map(
    config.chains.map((chain) => [
      chain.chain_id,
      { chain, client: createPublicClient({ transport: http(chain.rpc_url) }) },
    ]),
  );
  return {
    config,
    db: openDatabase(config.databaseUrl),
    log: createLog(config, "api"),
    chain: (chainId) => chains.get(chainId),
  };
}
