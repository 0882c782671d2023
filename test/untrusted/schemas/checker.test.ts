import { monitorEventLoopDelay } from "node:perf_hooks";
import { afterEach, describe, expect, test } from "vitest";
import { digestOf } from "../../../protocol/settlement/digest.ts";
import {
  type Checker,
  type CheckRefusal,
  createChecker,
  type Limits,
} from "../../../untrusted/schemas/checker.ts";
import { doubling, slow } from "../../harness/slow-schemas.ts";

const warnings: unknown[] = [];
const faults: unknown[] = [];
const log = {
  warn: (...args: unknown[]) => void warnings.push(args),
  error: (...args: unknown[]) => void faults.push(args),
};
let checker: Checker;
const open = (limits: Partial<Limits> = {}) => {
  checker = createChecker(log, limits);
  return checker;
};
afterEach(() => checker?.close());

const honest = { inputSchema: { required: ["a"] }, outputSchema: null, inputPayload: { a: 1 } };
const hostile = { inputSchema: slow, outputSchema: null, inputPayload: { x: 1 } };
const refusalOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "done" as const,
    (error) => error,
  );

test("a placement's input is checked, and every part of the agreement is digested", async () => {
  const { run } = open();
  const schema = { properties: { a: { type: "string" } } };
  const deal = { inputSchema: schema, outputSchema: null, inputPayload: { a: 1 } };
  expect(await run({ account: "one" }, "placement", deal)).toEqual({
    violations: [{ path: "/a", keyword: "type", message: "must be string" }],
    digests: { inputSchema: digestOf(schema), outputSchema: null, input: digestOf({ a: 1 }) },
  });
  const described = { ...schema, type: "object" };
  expect(await run({ account: "one" }, "delivery", { schema: described, output: null })).toMatchObject({
    violations: [{ path: "", keyword: "type" }],
    digest: digestOf(null),
  });
  expect(await run({ account: "one" }, "digests", [1, { b: 1, a: 2 }])).toEqual([
    digestOf(1),
    digestOf({ a: 2, b: 1 }),
  ]);
});

test("schemas made to hang block neither this thread nor other accounts", async () => {
  const { run } = open({ threads: 2, account: { burst: 60_000, perSecond: 100 } });
  await Promise.all([
    run({ account: "warm" }, "placement", honest),
    run({ account: "up" }, "placement", honest),
  ]);

  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const attack = Array.from({ length: 4 }, () => refusalOf(run({ account: "bad" }, "placement", hostile)));
  let checked = 0;
  let isOver = false;
  void Promise.all(attack).then(() => {
    isOver = true;
  });
  while (!isOver) {
    expect((await run({ account: `good-${checked % 3}` }, "placement", honest)).violations).toEqual([]);
    checked += 1;
  }
  delay.disable();
  // Four times half a second on this thread would show as two samples of half a second and more.
  expect(delay.percentile(99) / 1e6).toBeLessThan(250);
  expect(checked).toBeGreaterThan(20);
});

describe("an account", () => {
  test("that used up its time is refused until it is refilled, while others are checked", async () => {
    const { run } = open({ account: { burst: 100, perSecond: 100 } });
    expect(await refusalOf(run({ account: "bad" }, "placement", hostile))).toBe("done");
    const refused = await refusalOf(run({ account: "bad" }, "placement", honest));
    expect(refused).toMatchObject({ reason: "account" });
    expect((refused as CheckRefusal).retryAfter).toBeGreaterThan(1);
    expect(await refusalOf(run({ account: "good" }, "placement", honest))).toBe("done");
  });

  test("has a bounded number of waiting checks; beyond that its newest are refused, and no other's", async () => {
    const { run } = open({ threads: 2, waitingOfAccount: 3, waiting: 5 });
    const bad = Array.from({ length: 9 }, () => refusalOf(run({ account: "bad" }, "placement", hostile)));
    // One runs and three wait. Then the queue is full, and the account with most waiting checks loses its
    // newest.
    const good = Array.from({ length: 4 }, (_, at) =>
      refusalOf(run({ account: `good-${at}` }, "placement", honest)),
    );
    expect(await Promise.all(good)).toEqual(["done", "done", "done", "done"]);
    const refused = (await Promise.all(bad)).filter((outcome) => outcome !== "done");
    expect(refused.length).toBeGreaterThanOrEqual(5);
    expect(refused).toContainEqual(expect.objectContaining({ reason: "busy", retryAfter: 2 }));
  });
});

describe("unproven accounts", () => {
  const short = { burst: 100, perSecond: 100 };
  const outsider = (address: number) => ({ account: `address ${address}`, group: "anonymous" as const });

  test("share one allowance from any address, and proven accounts keep theirs", async () => {
    const { run } = open({ group: { anonymous: short, unproven: short } });
    expect(await refusalOf(run(outsider(1), "placement", hostile))).toBe("done");
    const refused = await refusalOf(run(outsider(2), "placement", honest));
    expect(refused).toMatchObject({ reason: "anonymous" });
    expect(await refusalOf(run({ account: "good" }, "placement", honest))).toBe("done");
  });

  const one = (account: string, network: string | null = null) => ({
    account,
    group: "unproven" as const,
    lookUp: async () => ({ isParty: account === "paid", network }),
  });

  test("and anonymous callers share one allowance, and an account with a funded order has its own", async () => {
    const { run } = open({ group: { anonymous: short, unproven: short } });
    expect(await refusalOf(run(one("free 1"), "placement", hostile))).toBe("done");
    expect(await refusalOf(run(one("free 2"), "placement", honest))).toMatchObject({ reason: "unproven" });
    expect(await refusalOf(run(one("paid"), "placement", honest))).toBe("done");
    expect(await refusalOf(run(outsider(1), "placement", honest))).toBe("done");
  });

  test("take no slot that a party needs, with accounts or without", async () => {
    const { run } = open({ threads: 2, waiting: 5, queueMs: 60_000 });
    const crowd = Array.from({ length: 12 }, (_, at) =>
      refusalOf(run(one(`free ${at}`), "placement", hostile)),
    );
    const began = performance.now();
    expect(await refusalOf(run(one("paid"), "placement", honest))).toBe("done");
    const took = performance.now() - began;
    const outcomes = await Promise.all(crowd);
    expect(outcomes.filter((outcome) => outcome !== "done").length).toBeGreaterThanOrEqual(5);
    // The unproven accounts continue for far longer with the rest.
    expect(took).toBeLessThan((performance.now() - began) / 2);
  });

  test("from one network share an allowance where there is little room, and other networks keep theirs", async () => {
    const { run } = open({ threads: 2, network: short });
    const both = [one("free 1", "near"), one("free 2", "near")];
    const done = await Promise.all(both.map((cause) => refusalOf(run(cause, "placement", hostile))));
    expect(done).toEqual(["done", "done"]);
    const busy = refusalOf(run(one("free 3", "far"), "placement", hostile));
    expect(await refusalOf(run(one("free 4", "near"), "placement", honest))).toMatchObject({
      reason: "unproven",
    });
    expect(await refusalOf(run(one("free 5", "far"), "placement", honest))).toBe("done");
    expect(await busy).toBe("done");
  });

  test("never have all threads, and lose their slots in a full queue before any proven account", async () => {
    const { run } = open({ threads: 2, waiting: 5 });
    const bad = Array.from({ length: 9 }, (_, at) => refusalOf(run(outsider(at), "placement", hostile)));
    const good = [1, 2].map(() => refusalOf(run({ account: "good" }, "placement", honest)));
    expect(await Promise.all(good)).toEqual(["done", "done"]);
    expect(await Promise.all(bad)).toContainEqual(expect.objectContaining({ reason: "busy" }));
  });
});

describe("a service", () => {
  test("whose schemas are slow uses up its own time, for all its buyers", async () => {
    // The account's time runs while a thread is in use, which a loaded machine makes seconds.
    const account = { burst: 60_000, perSecond: 100 };
    const { run } = open({ account, service: { burst: 100, perSecond: 50 } });
    expect(await refusalOf(run({ account: "a", service: "bad" }, "placement", hostile))).toBe("done");
    const refused = await refusalOf(run({ account: "b", service: "bad" }, "placement", honest));
    expect(refused).toMatchObject({ reason: "service" });
    expect(await refusalOf(run({ account: "a", service: "good" }, "placement", honest))).toBe("done");
  });

  test("whose schemas are quick stays available however often it is ordered", async () => {
    const { run } = open({ service: { burst: 20, perSecond: 1 } });
    for (let at = 0; at < 60; at += 1) {
      expect(await refusalOf(run({ account: `a-${at}`, service: "good" }, "placement", honest))).toBe("done");
    }
  });
});

test("a check that throws is refused and logged, and the next one runs", async () => {
  const { run } = open();
  // Canonical JSON has no form for half of a surrogate pair.
  for (const deal of [
    { ...honest, inputSchema: {}, inputPayload: { a: "\ud800" } },
    { ...honest, inputSchema: { properties: { a: { enum: [{}] } } }, inputPayload: { a: ["\ud800"] } },
    {
      ...honest,
      inputSchema: { properties: { a: { const: [], pattern: "x" } } },
      inputPayload: { a: ["\udc00"] },
    },
  ]) {
    faults.length = 0;
    const refused = await refusalOf(run({ account: "one", service: "two" }, "placement", deal));
    expect(refused).toMatchObject({ name: "CheckRefusal", reason: "fault" });
    const fault = { err: expect.any(Error), account_id: "one", service_id: "two", task: "placement" };
    expect(faults).toEqual([[fault, "a check failed"]]);
  }
  expect(await refusalOf(run({ account: "one" }, "placement", honest))).toBe("done");
});

test("a service does not pay for the loading of a thread in which its check throws", async () => {
  const { run } = open({ threads: 1, service: { burst: 20, perSecond: 1 } });
  const cause = { account: "one", service: "two" };
  const broken = { ...honest, inputSchema: {}, inputPayload: { a: "\ud800" } };
  expect(await refusalOf(run(cause, "placement", broken))).toMatchObject({ reason: "fault" });
  expect(await refusalOf(run(cause, "placement", honest))).toBe("done");
});

test("a check that waits too long for a thread is refused", async () => {
  const { run } = open({ threads: 1, queueMs: 50 });
  await run({ account: "good" }, "placement", honest);
  const first = refusalOf(run({ account: "bad" }, "placement", hostile));
  expect(await refusalOf(run({ account: "good" }, "placement", honest))).toMatchObject({ reason: "busy" });
  expect(await first).toBe("done");
});

test("the start of a thread counts for no task, as its time or its wait", async () => {
  const { run } = open({ hardLimit: 500, queueMs: 500 });
  const both = [1, 2].map((value) => run({ account: "one" }, "digests", [value]));
  // This process blocks meanwhile, as on a shared machine, so that the thread cannot begin.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 800);
  expect(await Promise.all(both)).toEqual([[digestOf(1)], [digestOf(2)]]);
});

test("a thread that takes too long to start is ended, and its task is refused", async () => {
  const { run } = open({ hardLimit: 100, start: 200 });
  const refused = refusalOf(run({ account: "one" }, "digests", [1]));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 800);
  expect(await refused).toMatchObject({ reason: "busy" });
});

test("an endless task is ended with its thread", async () => {
  const { run } = open({ hardLimit: 100 });
  expect(await refusalOf(run({ account: "bad" }, "schema", { schema: doubling }))).toMatchObject({
    reason: "busy",
  });
  expect(JSON.stringify(warnings)).toContain("the thread of a check was ended");
});

test("a task that takes too much memory ends its thread only, and the next has a new one", async () => {
  const { run } = open({ threads: 1, memory: 48 });
  const huge = Array(1_500_000).fill({});
  expect(await refusalOf(run({ account: "bad" }, "digests", [huge]))).toMatchObject({ reason: "busy" });
  expect(await refusalOf(run({ account: "good" }, "placement", honest))).toBe("done");
});
