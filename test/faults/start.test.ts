import { afterAll, beforeAll, expect, test } from "vitest";
import { type Session, signIn } from "../harness/api.ts";
import { type NpmStart, prepareStart, running } from "../harness/npm-start.ts";
import type { Program } from "../harness/programs.ts";

let stack: NpmStart;
let session: Session;
/** The programs of one test, which the next one kills. */
let left: Program;

beforeAll(async () => {
  stack = await prepareStart();
  left = stack.start();
  await left.says("Earnest is running.");
  session = await signIn(stack.api());
});
afterAll(() => stack?.close());

test("npm start starts the indexer again when it ends", async () => {
  const before = stack.pidOf("the indexer");
  process.kill(before, "SIGKILL");
  await left.says("the indexer ended (SIGKILL) and is started again");
  await expect.poll(() => stack.pidOf("the indexer")).not.toBe(before);
  const isServed = async () => (await stack.api().request("GET", "/me", { token: session.token })).status;
  await expect.poll(() => isServed().catch(() => 0)).toBe(200);
});

test("npm start stops the remains of a killed run, and continues its state", async () => {
  const head = await stack.readHead();
  const [own, ...children] = stack.readPids();
  process.kill(own as number, "SIGKILL");
  await left.ended;
  expect(running(children)).toHaveLength(4);

  left = stack.start();
  await left.says("Earnest is running.");
  expect(left.output()).toContain("left behind by a run that was cut off");
  expect(running(children)).toEqual([]);
  expect(await stack.readHead()).toBeGreaterThanOrEqual(head);
  expect((await stack.api().request("GET", "/me", { token: session.token })).status).toBe(200);
});

test("npm start continues after everything was killed at once", async () => {
  for (const pid of stack.readPids()) process.kill(pid, "SIGKILL");
  await left.ended;

  left = stack.start();
  await left.says("Earnest is running.");
  expect((await stack.api().request("GET", "/me", { token: session.token })).status).toBe(200);
});
