import type { Socket } from "node:net";
import { sql } from "drizzle-orm";
import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { buildOnce, type Transaction } from "../../db/client.ts";
import { endWith, together, writeTogether } from "../../db/pipeline.ts";
import { createTestDatabase, type TestDatabase } from "../harness/database.ts";

let bench: TestDatabase;
beforeAll(async () => {
  bench = await createTestDatabase();
  await bench.db.execute(sql`create table line (n integer primary key)`);
});
afterAll(() => bench?.close());

const write = async (tx: Transaction, n: number) =>
  (await tx.execute<{ n: number }>(sql`insert into line values (${n}::int) returning n`)).rows[0]?.n;
const readLines = async () =>
  (await bench.db.execute<{ n: number }>(sql`select n from line order by n`)).rows.map(({ n }) => n);
/** Whether a connection of the pool still has a transaction. */
const isInTransaction = async () => {
  const { rows } = await bench.db.execute<{ open: boolean }>(
    sql`select exists (select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%') as open`,
  );
  return rows[0]?.open;
};

test("statements that are asked together run in their order, each with its own answer", async () => {
  const answers = await bench.db.transaction((tx) => together(write(tx, 1), write(tx, 2), write(tx, 3)));
  expect(answers).toEqual([1, 2, 3]);
  expect(await readLines()).toEqual([1, 2, 3]);
});

test("of statements that fail together, the cause is told, and none of their transaction is kept", async () => {
  const failing = bench.db.transaction((tx) => together(write(tx, 10), write(tx, 1), write(tx, 11)));
  await expect(failing).rejects.toMatchObject({ code: "23505" });
  // The refusal of a program's own comes before what it made fail.
  const refused = bench.db.transaction((tx) =>
    together(
      write(tx, 12).then(() => Promise.reject(new Error("refused"))),
      write(tx, 13),
    ),
  );
  await expect(refused).rejects.toThrow("refused");
  expect(await readLines()).toEqual([1, 2, 3]);
  expect(await isInTransaction()).toBe(false);
});

test("the cause is told wherever it stands among those that fail with it", async () => {
  const failing = bench.db.transaction((tx) => {
    const broken = tx.execute(sql`select 1 / 0`);
    return together(write(tx, 20), broken);
  });
  await expect(failing).rejects.toMatchObject({ code: "22012" });
});

test("a transaction that failed ends only after all that was begun in it", async () => {
  let ended = "not yet";
  const late = async (tx: Transaction) => {
    await bench.db.execute(sql`select pg_sleep(0.05)`);
    // On a connection whose transaction had ended, this would stay.
    await write(tx, 40).finally(() => {
      ended = "in the transaction";
    });
  };
  const broken = (tx: Transaction) => tx.execute(sql`select 1 / 0`).then(() => {});
  const failing = bench.db.transaction((tx) => together(broken(tx), late(tx)));
  await expect(failing).rejects.toMatchObject({ code: "22012" });
  expect(ended).toBe("in the transaction");
  expect(await readLines()).toEqual([1, 2, 3]);
});

test("a transaction that begins with what it reads writes all or nothing", async () => {
  const read = (tx: Transaction) => tx.execute<{ most: number }>(sql`select max(n) as most from line`);
  const next = await bench.db.transactionFrom(read, (tx, { rows }) => write(tx, (rows[0]?.most ?? 0) + 1));
  expect(next).toBe(4);
  const failing = bench.db.transactionFrom(read, async (tx) => {
    await write(tx, 30);
    throw new Error("changed my mind");
  });
  await expect(failing).rejects.toThrow("changed my mind");
  const unread = bench.db.transactionFrom(
    (tx) => tx.execute(sql`select 1 / 0`),
    (tx) => write(tx, 31),
  );
  await expect(unread).rejects.toMatchObject({ code: "22012" });
  expect(await readLines()).toEqual([1, 2, 3, 4]);
  expect(await isInTransaction()).toBe(false);
});

test("a lock that it begins with is held to its end", async () => {
  const lock = (tx: Transaction) => tx.execute(sql`select n from line where n = 1 for update`);
  const inside = await bench.db.transactionFrom(lock, async () => {
    const other = bench.db.execute(sql`select n from line where n = 1 for update nowait`);
    return other.then(
      () => "free",
      ({ code }) => code,
    );
  });
  expect(inside).toBe("55P03");
});

test("statements of one turn are written to the socket at once", async () => {
  const connection = await bench.db.$client.connect();
  try {
    const { stream } = (connection as unknown as { connection: { stream: Socket } }).connection;
    await connection.query("select 1");
    const write = vi.spyOn(stream, "write");
    const asked = [1, 2, 3].map((n) => connection.query("select $1::int as n", [n]));
    // Nothing is written before the turn ends, and all of it goes in one piece.
    expect(write).not.toHaveBeenCalled();
    expect((await Promise.all(asked)).map(({ rows }) => rows[0].n)).toEqual([1, 2, 3]);
    expect(write).toHaveBeenCalledOnce();
    write.mockRestore();
  } finally {
    connection.release();
  }
});

const insert = buildOnce<{ n: number }>(
  () => sql`insert into line values (${sql.placeholder("n")}::int) returning n`,
  "insert_line",
);
const quick = (tx: Transaction, n: number) => insert(tx).execute({ n });
const readNothing = async () => {};
const unread = async (): Promise<string> => {
  throw new Error("This was not to be read.");
};

test("last statements go with the commit, which is made once they are", async () => {
  const sent: string[] = [];
  const kept = await bench.db.transactionFrom(readNothing, async (tx) => {
    await quick(tx, 100);
    return endWith(
      () => [quick(tx, 101), quick(tx, 102)],
      ([one, other]) => {
        sent.push("answered");
        return [one, other].map(({ rows }) => rows[0]?.n).join(" and ");
      },
      unread,
    );
  });
  expect(kept).toBe("101 and 102");
  expect(sent).toEqual(["answered"]);
  expect(await readLines()).toEqual(expect.arrayContaining([100, 101, 102]));
});

test("where a last statement fails, nothing is committed, the cause is told, and the connection serves on", async () => {
  const before = await readLines();
  const failing = (last: (tx: Transaction) => Promise<unknown>[]) =>
    bench.db.transactionFrom(readNothing, async (tx) => {
      await quick(tx, 200);
      return endWith(
        () => last(tx),
        () => "made",
        unread,
      );
    });
  const divided = buildOnce(() => sql`select 1 / 0`, "divided");
  const twice = failing((tx) => [quick(tx, 201), quick(tx, 201), quick(tx, 202)]);
  await expect(twice).rejects.toMatchObject({ code: "23505" });
  const broken = failing((tx) => [quick(tx, 203), divided(tx).execute(), quick(tx, 204)]);
  await expect(broken).rejects.toMatchObject({ code: "22012" });
  const thrown = failing(() => {
    throw new Error("refused");
  });
  await expect(thrown).rejects.toThrow("refused");
  const ended = buildOnce(() => sql`select pg_terminate_backend(pg_backend_pid())`, "ended");
  await expect(failing((tx) => [quick(tx, 205), ended(tx).execute()])).rejects.toThrow();
  expect(await readLines()).toEqual(before);
  expect(await isInTransaction()).toBe(false);
});

test("a last statement that is asked too late for the commit is in the transaction all the same", async () => {
  const before = await readLines();
  const late = async (tx: Transaction, n: number) => {
    await bench.db.execute(sql`select pg_sleep(0.02)`);
    await quick(tx, n);
  };
  const failing = bench.db.transactionFrom(readNothing, async (tx) =>
    endWith(
      () => [quick(tx, 300), late(tx, 300)],
      () => "made",
      unread,
    ),
  );
  await expect(failing).rejects.toMatchObject({ code: "23505" });
  expect(await readLines()).toEqual(before);
  const making = bench.db.transactionFrom(readNothing, async (tx) =>
    endWith(
      () => [quick(tx, 301), late(tx, 302)],
      () => "made",
      unread,
    ),
  );
  expect(await making).toBe("made");
  expect(await readLines()).toEqual([...before, 301, 302]);
  // Statements of drizzle that are not prepared are asked late too.
  const unprepared = bench.db.transactionFrom(readNothing, async (tx) =>
    endWith(
      () => [tx.execute(sql`insert into line values (303)`)],
      () => "made",
      unread,
    ),
  );
  expect(await unprepared).toBe("made");
  expect(await readLines()).toContain(303);
});

test("a transaction that goes on after a statement failed is not told as made: PostgreSQL rolls it back", async () => {
  const before = await readLines();
  const goingOn = (tx: Transaction) => write(tx, 1).catch(() => "went on");
  await expect(bench.db.transaction(goingOn)).rejects.toThrow("rolled back");
  await expect(bench.db.transaction(goingOn, { accessMode: "read only" })).rejects.toThrow("rolled back");
  // A savepoint is there for this: what came before it is kept.
  const saved = await bench.db.transaction(async (tx) => {
    await write(tx, 350);
    return tx.transaction((inner) => write(inner, 1)).catch(() => "went on");
  });
  expect(saved).toBe("went on");
  expect(await readLines()).toEqual([...before, 350]);
  expect(await isInTransaction()).toBe(false);
});

test("where the answers are lost and the commit was made, the result is read again", async () => {
  const kept = await bench.db.transactionFrom(readNothing, async (tx) =>
    endWith(
      () => [quick(tx, 400).then(() => Promise.reject(new Error("lost on the way")))],
      () => "answered",
      async () => `read again: ${(await readLines()).includes(400)}`,
    ),
  );
  expect(kept).toBe("read again: true");
});

test("what was asked is written before a connection ends", async () => {
  const client = new pg.Client({ connectionString: bench.url, pipeline: true } as pg.ClientConfig);
  // Who ends a connection below its client is told that it is lost.
  client.on("error", () => {});
  await client.connect();
  writeTogether(client as unknown as pg.PoolClient);
  const { connection } = client as unknown as { connection: { stream: Socket; end: () => void } };
  const written = vi.spyOn(connection.stream, "write");
  // Not by "once" of node:events, which fails where the client tells of the loss.
  const ended = new Promise<void>((resolve) => client.once("end", resolve));
  client.query("select 1").catch(() => {});
  connection.end();
  const codes = written.mock.calls.map(([piece]) => String.fromCharCode((piece as Buffer)[0] ?? 0));
  expect(codes).toEqual(["Q", "X"]);
  await ended;
});
