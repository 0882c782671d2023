import type { Socket } from "node:net";
import type pg from "pg";

/** What fails because another statement of its transaction failed before it. */
const aborted = "25P02";

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
