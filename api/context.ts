import type { OpenAPIHono } from "@hono/zod-openapi";
import { createPublicClient } from "viem";
import { createChecker, unlimited } from "../checker/checker.ts";
import type { Config } from "../config.ts";
import { openDatabase, statementSeconds } from "../db/client.ts";
import type { Writes } from "../db/outcome.ts";
import type { Position } from "../db/standby.ts";
import { createLog } from "../log.ts";
import { plugInNative } from "../native.ts";
import type { Context } from "../trade/context.ts";
import { nodeByHttp } from "../trade/node-transport.ts";
import type { Caller } from "./http/access.ts";

/** What every route works with, made once per process: what verbs work with. */
export type { Context };

export type Variables = {
  requestId: string;
  /** where the request came from; null where it came over no network */
  clientAddress: string | null;
  /** who the route let through */
  caller: Caller | undefined;
  /** whose token was sent, once it was looked at: null for none that is valid */
  recognised: Caller | null | undefined;
  /** how far the primary was when the caller was looked for, where a standby may answer */
  position: Position | undefined;
  /**
   * Of a write with an `Idempotency-Key`: what it makes has the id of this suffix, however often it is begun. An earlier
   * try may have made it.
   */
  effect: { id: string; mayStand: boolean } | undefined;
  /** of a write whose own work has begun: whether the database made any of it */
  writes: Writes | undefined;
};
export type App = OpenAPIHono<{ Variables: Variables }>;

/** Makes the context: a pool on the database, a log on standard output, and a client for each chain. */
export function createContext(config: Config): Context {
  const chains = new Map(
    config.chains.map((chain) => [
      chain.chain_id,
      { chain, client: createPublicClient({ transport: nodeByHttp(chain.rpc_url) }) },
    ]),
  );
  const log = createLog(config, "api");
  // Nobody waits for it: until it is there, portable code gives the same answers.
  void plugInNative(log);
  return {
    config,
    db: openDatabase(config.databaseUrl, {
      statementSeconds: statementSeconds.request,
      prepared: config.databasePrepared,
      standbyUrl: config.databaseReadUrl,
    }),
    log,
    checker: createChecker(log, config.rateLimits ? {} : unlimited),
    chain: (chainId) => chains.get(chainId),
  };
}
