import { createPublicClient, http } from "viem";
import type { Config } from "../config/config.ts";
import { createLog } from "../config/log.ts";
import { type Database, openDatabase, statementSeconds } from "../db/client.ts";
import { requireTime } from "../db/commit-outcome.ts";
import type { Context as TradeContext } from "../trade/context.ts";
import { isParty } from "../trade/fair-shares/funded-party.ts";
import { createChecker, unlimitedService } from "../untrusted/schemas/checker.ts";
import { createPublicAnswers, type PublicAnswers } from "./http/public-answers.ts";
import { createReadTurns, type ReadTurns } from "./http/read-turns.ts";
import { createPdfPrinter, type PdfPrinter } from "./invoices/pdf-printer.ts";

/** The parts that every route uses. One context per process. */
export type Context = TradeContext & {
  /** the standby for reads without a token; null where none is set */
  readDb: Database | null;
  answers: PublicAnswers;
  readTurns: ReadTurns;
  printer: PdfPrinter;
};

/** Seconds to wait for an answer of the database. PostgreSQL cancels a statement earlier than that. */
const primarySeconds = 20;
const standbySeconds = 2;

/**
 * Timeouts of a node: one call takes at most half of the time in which a request is answered. A request that was answered
 * already makes no further call.
 */
export const nodeTimeouts = { timeout: 6500, retryCount: 1, onFetchRequest: requireTime };

/** Makes the context: a database pool, a log on standard output, and a client for each chain. */
export function createContext(config: Config): Context {
  const chains = new Map(
    config.chains.map((chain) => [
      chain.chain_id,
      { chain, client: createPublicClient({ transport: http(chain.rpc_url, nodeTimeouts) }) },
    ]),
  );
  const log = createLog(config, "api");
  const pool = { statementSeconds: statementSeconds.request, keepsStatements: config.keepsStatements };
  const db = openDatabase(config.databaseUrl, { ...pool, answerSeconds: primarySeconds });
  const readDb = config.databaseReadUrl
    ? openDatabase(config.databaseReadUrl, { ...pool, answerSeconds: standbySeconds })
    : null;
  return {
    config,
    db,
    readDb,
    answers: createPublicAnswers({ config, db, readDb }),
    readTurns: createReadTurns(),
    printer: createPdfPrinter(log, (accountId) => isParty(db, accountId)),
    log,
    checker: createChecker(log, config.rateLimits ? {} : unlimitedService),
    chain: (chainId) => chains.get(chainId),
  };
}
