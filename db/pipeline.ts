import type { Socket } from "node:net";
import type pg from "pg";

/** What fails because another statement of its transaction failed before it. */
const aborted = "25P02";

/** What is told of a transaction in which a statement failed, though nobody said which. */
export const undone = "A transaction was rolled back in the place of its commit.";

/** How many statements were asked of a connection. */
const asked = new WeakMap<pg.PoolClient, number>();

/** What of the driver's own connection sends: its types do not tell it. */
type Wire = { stream: Socket; _send: (message: Uint8Array) => boolean; end: () => void };

/**
 * Has the statements that are asked of a connection in one turn of the event loop written to it together, as one piece: a
 * write to a socket costs as much as some of them, and a write of many pieces more than their copy.
 */
export function writeTogether(client: pg.PoolClient): void {
  const { connection } = client as unknown as { connection: Wire };
  const end = connection.end.bind(connection);
  let turn: Uint8Array[] = [];
  const write = () => {
    const [first] = turn;
    if (first && connection.stream.writable) {
      connection.stream.write(turn.length === 1 ? first : Buffer.concat(turn));
    }
    turn = [];
  };
  connection._send = (message) => {
    if (turn.length === 0) process.nextTick(write);
    turn.push(message);
    return true;
  };
  connection.end = () => {
    write();
    end();
  };
  const ask = client.query.bind(client) as (...given: unknown[]) => unknown;
  const query = (...given: unknown[]) => {
    asked.set(client, (asked.get(client) ?? 0) + 1);
    return ask(...given);
  };
  client.query = query as typeof client.query;
}

/**
 * Waits for statements of one transaction that go in one round trip, as none needs what another answers. They run in the
 * order in which they were asked; what drizzle has not prepared is only asked when it is waited for.
 *
 * It waits for all of them, also where one fails: the transaction ends after it, and nothing may be asked on its
 * connection any more.
 *
 * @throws the failure that made the others fail
 */
export async function together<Work extends readonly Promise<unknown>[]>(
  ...work: Work
): Promise<{ -readonly [At in keyof Work]: Awaited<Work[At]> }> {
  const ended = await Promise.allSettled(work);
  const failures = ended.filter((one) => one.status === "rejected").map(({ reason }) => reason);
  if (failures.length > 0) throw failures.find(({ code }) => code !== aborted) ?? failures[0];
  return ended.map((one) => (one as PromiseFulfilledResult<unknown>).value) as Awaited<
    ReturnType<typeof together<Work>>
  >;
}

type Answers<Work extends readonly Promise<unknown>[]> = Awaited<ReturnType<typeof together<Work>>>;

/** The end of a transaction: its last statements, which go with the commit in one round trip. */
export class Ending<Result> {
  /** asks the statements, and returns one promise for each */
  readonly ask: () => readonly Promise<unknown>[];
  /** makes the result of what they answered */
  readonly resultOf: (answers: never) => Result;
  /** finds it out where the answers were lost, and the commit was made */
  readonly readAgain: () => Promise<Result>;

  constructor(
    ask: Ending<Result>["ask"],
    resultOf: Ending<Result>["resultOf"],
    readAgain: () => Promise<Result>,
  ) {
    this.ask = ask;
    this.resultOf = resultOf;
    this.readAgain = readAgain;
  }
}

/**
 * Ends a transaction with statements after which the program decides nothing: all that can be in the way fails in the
 * database, which then commits nothing. A lock that they take is held for no round trip.
 *
 * @param ask asks statements that drizzle has prepared, all in one turn, or throws before the first
 * @param resultOf makes the transaction's result of their answers
 * @param readAgain reads the result, where the answers are lost on the way and the commit was made
 */
export function endWith<Work extends readonly Promise<unknown>[], Result>(
  ask: () => readonly [...Work],
  resultOf: (answers: Answers<Work>) => Result,
  readAgain: () => Promise<Result>,
): Ending<Result> {
  return new Ending<Result>(ask, resultOf, readAgain);
}

/**
 * Asks the last statements of a transaction, and with them its commit.
 *
 * @param commit commits, and says whether that was done: a transaction that failed is rolled back in its place
 * @param undo rolls back and throws on
 */
export async function end<Result>(
  connection: pg.PoolClient,
  { ask, resultOf, readAgain }: Ending<Result>,
  commit: () => Promise<boolean>,
  undo: (error: unknown) => Promise<never>,
): Promise<Result> {
  const before = asked.get(connection) ?? 0;
  let work: readonly Promise<unknown>[];
  try {
    work = ask();
  } catch (error) {
    return undo(error);
  }
  const answers = together(...work);
  // A statement that is asked later would come after the commit.
  if ((asked.get(connection) ?? 0) - before !== work.length) await answers.catch(undo);
  const [answered, committed] = await Promise.allSettled([answers, commit()]);
  if (committed.status === "rejected") throw committed.reason;
  if (!committed.value) throw answered.status === "rejected" ? answered.reason : new Error(undone);
  return answered.status === "fulfilled" ? resultOf(answered.value as never) : readAgain();
}
