import { createHash } from "node:crypto";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Logger } from "pino";
import { isIndexMissing } from "../db/chain-index.ts";
import { type Database, preparedName } from "../db/client.ts";
import { type SQL, sql } from "../db/drizzle.ts";
import { actOnEach, repeatRounds } from "./loop.ts";

/** The conditions under which a job is due. */
export type DueCondition = {
  /** An SQL condition without placeholders. It holds whenever there is work, and may hold without work. */
  due?: SQL | undefined;
  /** SQL text whose value changes when there may be new work. */
  news?: SQL | undefined;
  /** milliseconds between two checks, in whole seconds */
  every: number;
  /**
   * Set if the conditions read a relation of the index, at most one. A statement locks relations in its own order and
   * Ponder in another, so these conditions have a statement of their own. Without an index, nothing is due.
   */
  readsIndex?: boolean | undefined;
  wake(): void;
};

/** Milliseconds between two statements. */
const tick = 1000;

const dialect = new PgDialect();

/**
 * Checks the conditions of all jobs once a second in one statement, and wakes the jobs that are due. Runs until the
 * signal. A job whose work is done is woken once more, so that it drops its cached state.
 */
export async function watchDueJobs(
  conditions: readonly DueCondition[],
  { db, log, signal }: { db: Database; log: Logger; signal: AbortSignal },
): Promise<void> {
  const indexed = conditions.filter(({ readsIndex }) => readsIndex);
  const ownTables = conditions.filter(({ readsIndex }) => !readsIndex);
  const checks = [ownTables, ...indexed.map((each) => [each])].map((batch) => createDueCheck(db, batch));
  const round = async () => {
    // The checks run in turn on one connection, where each statement is prepared.
    await actOnEach(checks, (check) => check());
    return tick;
  };
  await repeatRounds("due jobs", round, { signal, log });
}

/** Returns a function that checks those of the conditions whose period has passed, in one statement. */
export function createDueCheck(db: Database, conditions: readonly DueCondition[]): () => Promise<void> {
  const lastSeen = new Map<DueCondition, { isDue: boolean; news: unknown }>();
  const statements = new Map<string, { name: string; text: string }>();
  let ticks = 0;

  return async () => {
    const batch = conditions.filter(({ every }) => ticks % Math.ceil(every / tick) === 0);
    ticks += 1;
    if (batch.length === 0) return;
    const answers = await readConditions(batch);
    for (const [index, condition] of batch.entries()) {
      const [due, news] = [answers[2 * index], answers[2 * index + 1]];
      const before = lastSeen.get(condition);
      lastSeen.set(condition, { isDue: due === true, news });
      if (due === true || before?.isDue || news !== before?.news) condition.wake();
    }
  };

  /** Few periods mean few statements, so each is prepared once for a connection. */
  async function readConditions(batch: readonly DueCondition[]): Promise<readonly unknown[]> {
    const key = batch.map((condition) => conditions.indexOf(condition)).join();
    const statement = statements.get(key) ?? write(batch);
    statements.set(key, statement);
    try {
      const { name, text } = statement;
      const query = { name: preparedName(db, name), text, rowMode: "array" as const };
      const { rows } = await db.$client.query<unknown[]>(query);
      return rows[0] ?? [];
    } catch (error) {
      if (!isIndexMissing(error)) throw error;
      return [];
    }
  }
}

/** Writes the statement with its values inline: PostgreSQL plans it once and can use partial indexes. */
function write(conditions: readonly DueCondition[]): { name: string; text: string } {
  const columns = conditions.flatMap(({ due = sql`false`, news = sql`''` }) => [
    sql`(${due}) as due`,
    sql`(${news})::text as news`,
  ]);
  const { sql: text } = dialect.sqlToQuery(sql`select ${sql.join(columns, sql`, `)}`.inlineParams());
  return { name: `due_jobs_${createHash("sha256").update(text).digest("hex").slice(0, 16)}`, text };
}

/** Returns the condition that any of the conditions holds; false for an empty list. */
export function anyOf(conditions: readonly SQL[]): SQL {
  return conditions.length === 0 ? sql`false` : sql`(${sql.join([...conditions], sql` or `)})`;
}
