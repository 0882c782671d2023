import { createHash } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import type { Logger } from "pino";
import { isWithoutIndex } from "../db/chain-index.ts";
import { type Database, preparedName } from "../db/client.ts";
import { actOnEach, repeat } from "./loop.ts";

/** What is asked for a job. */
export type Question = {
  /**
   * A condition of SQL without placeholders: whether there is anything to do. It is a wake-up, so it may be true too
   * often, and never too rarely.
   */
  due?: SQL | undefined;
  /** A text of SQL that is another one when there may be something new to do. */
  news?: SQL | undefined;
  /** milliseconds between two looks, in whole seconds */
  every: number;
  /**
   * reads a relation of the index, and no more than one: it is asked alone, since a statement locks its relations in an
   * order of its own, and Ponder in another. Where the index is not there, nothing is due.
   */
  readsIndex?: boolean | undefined;
  wake(): void;
};

/** Milliseconds between two statements. */
const tick = 1000;

const dialect = new PgDialect();

/**
 * Asks until the signal, once a second and by one statement, what the jobs would look for one by one, and wakes those that
 * have something to do. A job whose work is over is woken once more: what it remembers of it ends then.
 */
export async function keepAgenda(
  questions: readonly Question[],
  { db, log, signal }: { db: Database; log: Logger; signal: AbortSignal },
): Promise<void> {
  const ofIndex = questions.filter(({ readsIndex }) => readsIndex);
  const others = questions.filter(({ readsIndex }) => !readsIndex);
  const looks = [others, ...ofIndex.map((each) => [each])].map((asked) => createLooks(db, asked));
  const round = async () => {
    // One after the other, on one connection: there each is prepared.
    await actOnEach(looks, (look) => look());
    return tick;
  };
  await repeat("agenda", round, { signal, log });
}

/** Makes the looks of questions that are asked together. Each asks what has its turn then. */
export function createLooks(db: Database, questions: readonly Question[]): () => Promise<void> {
  const seen = new Map<Question, { isDue: boolean; news: unknown }>();
  const statements = new Map<string, { name: string; text: string }>();
  let ticks = 0;

  return async () => {
    const asked = questions.filter(({ every }) => ticks % Math.ceil(every / tick) === 0);
    ticks += 1;
    if (asked.length === 0) return;
    const answers = await ask(asked);
    for (const [index, question] of asked.entries()) {
      const [due, news] = [answers[2 * index], answers[2 * index + 1]];
      const before = seen.get(question);
      seen.set(question, { isDue: due === true, news });
      if (due === true || before?.isDue || news !== before?.news) question.wake();
    }
  };

  /** The periods of jobs are few, and so are the statements: each is prepared once for a connection. */
  async function ask(asked: readonly Question[]): Promise<readonly unknown[]> {
    const key = asked.map((question) => questions.indexOf(question)).join();
    const statement = statements.get(key) ?? write(asked);
    statements.set(key, statement);
    try {
      const { name, text } = statement;
      const query = { name: preparedName(db, name), text, rowMode: "array" as const };
      const { rows } = await db.$client.query<unknown[]>(query);
      return rows[0] ?? [];
    } catch (error) {
      if (!isWithoutIndex(error)) throw error;
      return [];
    }
  }
}

/** Its values stand in its text: PostgreSQL plans it once, by the partial indexes too. */
function write(questions: readonly Question[]): { name: string; text: string } {
  const columns = questions.flatMap(({ due = sql`false`, news = sql`''` }) => [
    sql`(${due}) as due`,
    sql`(${news})::text as news`,
  ]);
  const { sql: text } = dialect.sqlToQuery(sql`select ${sql.join(columns, sql`, `)}`.inlineParams());
  return { name: `agenda_${createHash("sha256").update(text).digest("hex").slice(0, 16)}`, text };
}

/** The condition that any of several conditions holds; never where there are none. */
export function anyOf(conditions: readonly SQL[]): SQL {
  return conditions.length === 0 ? sql`false` : sql`(${sql.join([...conditions], sql` or `)})`;
}
