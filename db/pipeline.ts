import type pg from "pg";

/** What fails because another statement of its transaction failed before it. */
const aborted = "25P02";

/**
 * Has the statements that are asked of a connection in one turn of the event loop written to it together: a write to a
 * socket costs as much as some of them.
 */
export function writeTogether(connection: pg.PoolClient): void {
  const { stream } = (connection as unknown as { connection: { stream: import("node:net").Socket } })
    .connection;
  const send = connection.query.bind(connection) as (...given: unknown[]) => unknown;
  const query = (...given: unknown[]) => {
    if (stream.writableCorked === 0) {
      stream.cork();
      process.nextTick(() => stream.uncork());
    }
    return send(...given);
  };
  connection.query = query as typeof connection.query;
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
