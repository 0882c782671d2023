import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  initialisePostgres,
  placePostgres,
  runStatement,
  startPostgres,
} from "../../../tools/stack/postgres.ts";
import { sharedBuffersFor } from "../../../tools/stack/postgres-memory.ts";
import { findFreePort } from "../../../tools/stack/process.ts";

const megabyte = 2 ** 20;
const folder = mkdtempSync(join(tmpdir(), "earnest-memory-"));
const directory = placePostgres(join(folder, "postgres"));

beforeAll(() => {
  chmodSync(folder, 0o755);
  initialisePostgres(directory);
});
afterAll(() => {
  for (const path of [dirname(directory), folder]) rmSync(path, { recursive: true, force: true });
});

/** Makes the data appear this much larger; the file takes no disk space. */
function grow(bytes: number): void {
  const ballast = join(directory, "base", "1", "ballast");
  mkdirSync(dirname(ballast), { recursive: true });
  writeFileSync(ballast, "");
  truncateSync(ballast, bytes);
}

async function startAndAsk(memory: number): Promise<unknown> {
  const server = await startPostgres({
    directory,
    port: await findFreePort(),
    logFile: join(folder, "postgres.log"),
    memory,
    settings: { fsync: "off" },
  });
  try {
    const [row] = await runStatement(server.url("postgres"), "show shared_buffers");
    return (row as { shared_buffers: string }).shared_buffers;
  } finally {
    await server.child.stop();
  }
}

test("small data keeps PostgreSQL's default", () => {
  grow(0);
  expect(sharedBuffersFor(directory, 2 ** 40)).toBeUndefined();
});

test("larger data gets room, with a quarter in reserve", () => {
  grow(1000 * megabyte);
  const chosen = Number.parseInt(sharedBuffersFor(directory, 2 ** 40) ?? "", 10);
  expect(chosen).toBeGreaterThanOrEqual(1250);
  expect(chosen).toBeLessThan(1400);
});

test("the server gets a quarter of the memory at most", () => {
  grow(1000 * megabyte);
  expect(sharedBuffersFor(directory, 2000 * megabyte)).toBe("500MB");
  expect(sharedBuffersFor(directory, 400 * megabyte)).toBeUndefined();
});

test("a server uses the chosen setting", async () => {
  grow(1000 * megabyte);
  expect(await startAndAsk(800 * megabyte)).toBe("200MB");
});

test("a server that cannot have this much starts with its default", async () => {
  // More pages than PostgreSQL can number.
  grow(8 * 2 ** 40);
  expect(await startAndAsk(2 ** 50)).toBe("128MB");
});

test("an operator's own setting stays", () => {
  grow(1000 * megabyte);
  appendFileSync(join(directory, "postgresql.auto.conf"), "shared_buffers = '300MB'\n");
  expect(sharedBuffersFor(directory, 2 ** 40)).toBeUndefined();
});
