import type pg from "pg";
import { liveChannel } from "./chain.ts";

/** What Ponder says in the transaction of each block: first, and then what it waits for and does not read. */
const begins = /^begin$/i;
const makesTable = /^create temp table live_query_tables /i;
const marks = /^(savepoint|release) flush$/i;
const dates = /^update "[^"]+"\."_reorg__[^"]+" set "checkpoint" = \$1 where /i;
const movesOn = /^update "[^"]+"\."_ponder_checkpoint" set "latest_checkpoint"/i;
const commits = /^commit$/i;
const rollsBack = /^rollback$/i;

const nothing = { command: "", rowCount: null, oid: 0, fields: [], rows: [] };
/** What Ponder's trigger would tell of a block that changed no table. */
const tellsOfBlock = `notify ${liveChannel}, '[]'`;

export type Send = (...given: unknown[]) => unknown;

/** As much of the driver's client as says whether statements go one behind the other, or each when the one before is answered. */
export type Line = {
  pipeline: boolean;
  readyForQuery: boolean;
  once(event: "drain", then: () => void): unknown;
};

/**
 * Sends the transaction of each block in two turns, where Ponder waits for each of its statements. What is only to be done
 * is answered before it is: the next statement that is read goes behind it. A failure is told by that one, or by the
 * commit, before which nothing of the transaction counts.
 *
 * It leaves out the temporary table that Ponder makes for each block, where the block has no rows for it: the table's making
 * and end are most of what such a block costs PostgreSQL. Whoever listens is told as before.
 *
 * @param line the connection, on which nobody else asks while a transaction is under way
 * @param send asks it
 */
export function sendBlocksAtOnce(line: Line, send: Send): Send {
  /** what was answered and not sent */
  let begin: unknown[] | undefined;
  let table: string | undefined;
  /** within the transaction of a block, and whether it has rows */
  let isBlock = false;
  let hasRows = false;
  let failure: { error: unknown } | undefined;

  /** Sends what nobody waits for. */
  function sendAhead(...given: unknown[]): void {
    Promise.resolve(send(...given)).catch((error: unknown) => {
      failure ??= { error };
    });
  }

  /** A failure that nobody waited for made all that follow fail, and says more. */
  async function sendBehind(...given: unknown[]): Promise<unknown> {
    const answer = await Promise.resolve(send(...given)).catch((error: unknown) => {
      throw failure ? failure.error : error;
    });
    if (failure) throw failure.error;
    return answer;
  }

  function start(withTable: boolean): void {
    if (!begin) return;
    // In one message: if it is cancelled there is no table, and without it no row of the index can be written.
    const text = withTable ? `begin; ${table}` : "begin";
    begin = undefined;
    hasRows = withTable;
    line.pipeline = line.readyForQuery;
    sendAhead(text);
  }

  function end(): void {
    [begin, table, isBlock, failure] = [undefined, undefined, false, undefined];
    line.pipeline = false;
  }

  async function sendOfBlock(text: string, given: unknown[]): Promise<unknown> {
    if (rollsBack.test(text)) {
      const isSent = !begin;
      const answer = isSent ? await Promise.resolve(send(...given)).finally(end) : nothing;
      end();
      return answer;
    }
    if (commits.test(text)) {
      if (begin) start(false);
      const commit = hasRows ? given : [`${tellsOfBlock}; commit`];
      const answer = await sendBehind(...commit);
      const { command } = [answer].flat().at(-1) as pg.QueryResult;
      if (!commits.test(command)) throw new Error(`A block's transaction ended by ${command}.`);
      end();
      return answer;
    }
    start(!movesOn.test(text));
    if (!marks.test(text) && !dates.test(text) && !movesOn.test(text)) return sendBehind(...given);
    sendAhead(...given);
    return nothing;
  }

  return async (...given) => {
    const [statement] = given as [string | { text?: string } | undefined];
    const text = (typeof statement === "string" ? statement : statement?.text)?.trim() ?? "";
    if (isBlock) return sendOfBlock(text, given);
    if (begin && makesTable.test(text)) {
      isBlock = true;
      table = withShortNames(text);
      return nothing;
    }
    if (begin) {
      const held = begin;
      begin = undefined;
      await send(...held);
    } else if (begins.test(text)) {
      begin = given;
      return nothing;
    }
    return send(...given);
  };
}

/** Text may be long and has a table for that beside it, which is made and ends with it. A relation's name is never long. */
function withShortNames(text: string): string {
  return text.replace(/(?<=\(table_name )text\b/i, "name");
}

/** Sends what brings its own way of being sent, such as a copy: when all that was sent before it is answered. */
export function sendAlone(line: Line, send: Send, given: unknown[]): unknown {
  const submit = () => {
    line.pipeline = false;
    send(...given);
  };
  if (line.readyForQuery || !line.pipeline) submit();
  else line.once("drain", submit);
  return given.find(isSubmittable);
}

/** A query that brings its own way of being sent. */
export function isSubmittable(given: unknown): boolean {
  return typeof given === "object" && given !== null && "submit" in given;
}
