import type { OpenAPIHono } from "@hono/zod-openapi";
import { createPublicClient, http } from "viem";
import type { Config } from "../config/config.ts";
import { createLog } from "../config/log.ts";
import { type Database, openDatabase, statementSeconds } from "../db/client.ts";
import { requireTime, type Writes } from "../db/commit-outcome.ts";
import type { Context as TradeContext } from "../trade/context.ts";
import { createChecker, unlimited } from "../untrusted/schemas/checker.ts";
import type { Caller } from "./http/access.ts";
import { createPublicAnswers, type PublicAnswers } from "./http/public-answers.ts";

/** The parts that every route works with, made once per process. */
export type Context = TradeContext & {
  /** the standby that reads without a token are answered from; null where none is set */
  readDb: Database | null;
  answers: PublicAnswers;
};

export type Variables = {
  requestId: string;
  /** where the request came from; null where it came over no network */
  clientAddress: string | null;
  /** who the route let through */
  caller: Caller | undefined;
  /** whose token was sent, once it was looked at: null for none that is valid */
  recognised: Caller | null | undefined;
  /**
   * Of a write with an `Idempotency-Key`: what it makes has the id of this suffix, however often it is begun. An earlier
   * try may have made it.
   */
  effect: { id: string; mayStand: boolean } | undefined;
  /** whether the request was answered before its work ended */
  isLate: boolean | undefined;
  /** of an unpaid request: x402's document of what to pay, which the answer has beside the error */
  asked: object | undefined;
  /** of a write whose own work has begun: whether the database made any of it */
  writes: Writes | undefined;
};
export type App = OpenAPIHono<{ Variables: Variables }>;

/** Seconds after which a database that does not answer is given up: PostgreSQL itself ends a statement before. */
const primarySeconds = 20;
const standbySeconds = 2;

/**
 * With these, one call to a node takes at most half of the time in which a request is answered. A request that was answered
 * already makes no further call.
 */
const nodePatience = { timeout: 6500, retryCount: 1, onFetchRequest: requireTime };

/** Makes the context: a pool on the database, a log on standard output, and a client for each chain. */
export function createContext(config: Config): Context {
  const chains = new Map(
    config.chains.map((chain) => [
      chain.chain_id,
      { chain, client: createPublicClient({ transport: http(chain.rpc_url, nodePatience) }) },
    ]),
  );
  const log = createLog(config, "api");
  const pool = { statementSeconds: statementSeconds.request, prepared: config.databasePrepared };
  const db = openDatabase(config.databaseUrl, { ...pool, answerSeconds: primarySeconds });
  const readDb = config.databaseReadUrl
    ? openDatabase(config.databaseReadUrl, { ...pool, answerSeconds: standbySeconds })
    : null;
  return {
    config,
    db,
    readDb,
    answers: createPublicAnswers({ config, db, readDb }),
    log,
    checker: createChecker(log, config.rateLimits ? {} : unlimited),
    chain: (chainId) => chains.get(chainId),
  };
}
