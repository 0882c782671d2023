import { setTimeout as sleep } from "node:timers/promises";
import { quantile } from "../quantile.ts";
import { type Arrivals, createArrivals, type Timed, timedOperations } from "./arrivals.ts";
import { type Cluster, usualPrograms } from "./cluster.ts";
import {
  deadBound,
  growthBound,
  judgeDead,
  judgeGrowth,
  judgeLatency,
  judgeMemory,
  latencyBound,
  memoryBound,
  type Sample,
} from "./flatness.ts";
import { gatherMarket, type Market } from "./load.ts";
import { urlOf } from "./postgres-nodes.ts";
import { judgeMarket } from "./rehearsal.ts";
import { readSizes, readTables, type Sizes } from "./tables.ts";
import { readUsage } from "./usage.ts";

/** The number of buyers and providers. A wallet that pays by calls pays one order every two blocks. */
const people = { buyers: 8, providers: 4 };
/** The measurement of the ceiling: the orders in progress at once, and the milliseconds for which orders are placed. */
const together = 96;
const placedFor = 45_000;
/** Milliseconds within which open orders must settle once no more are placed. */
const settledWithin = 120_000;
const judgedWithin = 120_000;
/** Milliseconds between two samples of memory. */
const sampleEvery = 5000;
/** Milliseconds of a block: a settlement may fall into the next one. */
const block = 1000;

/** The kinds of process whose memory may not grow, with their number. The memory of other kinds grows by design, or is not ours. */
const judged = {
  api: usualPrograms.apis,
  worker: usualPrograms.workers,
  indexer: usualPrograms.indexers,
  pgbouncer: 1,
  haproxy: 1,
};

/**
 * Runs whole orders at a fixed rate for some minutes and reports the cluster's state each minute. At the end, it checks that
 * memory and latency stayed flat and nothing was lost or doubled.
 *
 * @param options.rate orders per second. Default: half of the ceiling, which is measured first
 * @returns a sentence for each fault
 */
export async function soak(
  cluster: Cluster,
  options: { minutes: number; rate: number | undefined; say: (line: string) => void },
): Promise<string[]> {
  const { minutes, say } = options;
  const market = await gatherMarket(cluster, people);
  try {
    const startedAt = new Date(Date.now() - 60_000).toISOString();
    const since = await cluster.chain.reader.getBlockNumber();
    const before = createArrivals(market, "ceiling");
    const rate = options.rate ?? (await findCeiling(market, before, say)) / 2;
    say(`${rate.toFixed(2)} orders a second arrive for ${minutes} minutes`);
    const arrivals = createArrivals(market, "soak");
    const wrong = await watchSoak(cluster, market, arrivals, { minutes, rate, say });
    say("the checker compares chain, API and webhooks");
    const { wrong: found, ...counts } = await judgeMarket(
      cluster,
      market,
      [...before.planned, ...arrivals.planned],
      {
        since,
        startedAt,
        say,
        within: judgedWithin,
      },
    );
    say(JSON.stringify(counts));
    return [...wrong, ...found];
  } finally {
    await market.receivers.stop();
  }
}

/**
 * Measures the most orders per second that are settled and delivered. Many orders are in progress at once, and the time ends
 * when all queues are empty.
 */
async function findCeiling(market: Market, arrivals: Arrivals, say: (line: string) => void): Promise<number> {
  const already = await market.receivers.count();
  const placing = AbortSignal.timeout(placedFor);
  await Promise.race([arrivals.keepBusy(together, placing), sleep(placedFor + settledWithin)]);
  await arrivals.end(0);
  const deadline = performance.now() + settledWithin;
  while ((await readDatabase()).deliveries > 0 && performance.now() < deadline) await sleep(500);
  const seconds = arrivals.now();
  const deliveries = (await market.receivers.count()) - already;
  const perSecond = (count: number) => (count / seconds).toFixed(1);
  say(
    `the ceiling: ${arrivals.settled()} orders with ${deliveries} deliveries in ${seconds.toFixed(1)} s, ${perSecond(arrivals.settled())} orders and ${perSecond(deliveries)} deliveries a second`,
  );
  return arrivals.settled() / seconds;
}

async function watchSoak(
  cluster: Cluster,
  market: Market,
  arrivals: Arrivals,
  { minutes, rate, say }: { minutes: number; rate: number; say: (line: string) => void },
): Promise<string[]> {
  const memory = new Map<string, Sample[]>();
  const database: Database = { heap: [], indexes: [], dead: [] };
  const atFirst = await readSizes(urlOf("haproxy"));
  const ending = AbortSignal.timeout(minutes * 60_000);
  const arriving = arrivals.keepRate(rate, ending);
  const span = { from: arrivals.now(), to: arrivals.now() + minutes * 60 };
  for (let minute = 1; !ending.aborted; ) {
    await sleep(sampleEvery);
    for (const [kind, { bytes }] of Object.entries(readUsage(cluster, market.receivers.pids))) {
      const samples = memory.get(kind) ?? [];
      samples.push({ at: arrivals.now(), value: bytes });
      memory.set(kind, samples);
    }
    const { heap, indexes, dead, rows } = await readDatabase();
    const at = arrivals.now();
    database.heap.push({ at, value: heap });
    database.indexes.push({ at, value: indexes });
    database.dead.push({ at, value: dead / rows });
    if (arrivals.now() < span.from + minute * 60) continue;
    say(await describeMinute(cluster, arrivals, memory, { from: span.from + (minute - 1) * 60, minute }));
    minute += 1;
  }
  await arriving;
  await arrivals.end(settledWithin);
  const wrong = judgeSoak(arrivals, memory, database, span, say);
  sayGrowth(atFirst, await readSizes(urlOf("haproxy")), arrivals.settled(), say);
  const left = arrivals.underWay();
  if (left > 0) wrong.push(`${left} orders were not settled ${settledWithin / 1000} s after the last`);
  if (arrivals.failed() > 0) wrong.push(`${arrivals.failed()} requests were refused or not answered`);
  return wrong;
}

/** The bytes of tables and of indexes, and the part of rows that are dead. */
type Database = Record<"heap" | "indexes" | "dead", Sample[]>;

const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(0)} MB`;

async function describeMinute(
  cluster: Cluster,
  arrivals: Arrivals,
  memory: Map<string, Sample[]>,
  { from, minute }: { from: number; minute: number },
): Promise<string> {
  const times = timedOperations.map((what) => {
    const values = arrivals.latencies[what].filter(({ at }) => at >= from).map(({ value }) => value);
    return `${what} ${[0.5, 0.95, 0.99].map((part) => quantile(values, part).toFixed(0)).join("/")} ms`;
  });
  const kinds = [...memory].map(
    ([kind, samples]) => `${kind} ${Math.round((samples.at(-1)?.value ?? 0) / 2 ** 20)}`,
  );
  const tables = await readDatabase();
  const number = await cluster.chain.reader.getBlockNumber();
  return [
    `minute ${minute}: ${arrivals.settled()} orders settled, ${arrivals.underWay()} under way; block ${number}`,
    `p50/p95/p99: ${times.join(", ")}`,
    `MB of their own: ${kinds.join(", ")}`,
    `data ${megabytes(tables.size)}: tables ${megabytes(tables.heap)}, indexes ${megabytes(tables.indexes)}; ${tables.dead} of ${tables.rows} rows are dead (${tables.deadest}); queues: ${tables.deliveries} deliveries, ${tables.relays} relays, ${tables.log} for the log, ${tables.records} records`,
  ].join("\n           ");
}

/** Returns a sentence for each figure that was not flat, and prints all figures. */
function judgeSoak(
  { latencies }: Arrivals,
  memory: Map<string, Sample[]>,
  database: Database,
  span: { from: number; to: number },
  say: (line: string) => void,
): string[] {
  const wrong: string[] = [];
  const report = (isFlat: boolean, line: string) => {
    say(`${isFlat ? "flat    " : "NOT FLAT"} ${line}`);
    if (!isFlat) wrong.push(line);
  };
  say(
    `memory may grow in the second half by ${memoryBound.part * 100} %, or by ${megabytes(memoryBound.bytes)} for each process`,
  );
  for (const [kind, processes] of Object.entries(judged)) {
    const samples = memory.get(kind) ?? [];
    const { level, growth, isFlat } = judgeMemory(samples, span, processes);
    report(isFlat, `memory of ${kind}: ${megabytes(level)}, grew by ${megabytes(growth)} in the second half`);
  }
  say(
    `latencies of the last quarter may be ${latencyBound.times} times those of the second, or ${latencyBound.milliseconds} ms longer; settling one block longer`,
  );
  for (const what of timedOperations) {
    const { p50, p95, isFlat } = judgeLatency(latencies[what], span, isSettled(what) ? block : 0);
    const [median, most] = [p50, p95].map(
      ({ second, last }) => `${second.toFixed(0)} ms, then ${last.toFixed(0)} ms`,
    );
    report(isFlat, `${what}: half within ${median}; 95 of 100 within ${most}`);
  }
  say(
    `the last quarter may add ${growthBound.times} times the bytes of the second, or ${megabytes(growthBound.bytes)} more; ${deadBound * 100} % of rows may be dead`,
  );
  for (const [what, name] of [
    ["heap", "tables"],
    ["indexes", "indexes"],
  ] as const) {
    const { second, last, isFlat } = judgeGrowth(database[what], span);
    report(isFlat, `${name}: the second quarter added ${megabytes(second)}, the last ${megabytes(last)}`);
  }
  const { second, last, isFlat } = judgeDead(database.dead, span);
  const [before, after] = [second, last].map((part) => `${(100 * part).toFixed(1)} %`);
  report(isFlat, `dead rows: at most ${before} in the second quarter, ${after} in the last`);
  return wrong;
}

/** Prints the bytes that each settled order added to each table and its indexes, the largest first. */
function sayGrowth(before: Sizes, after: Sizes, orders: number, say: (line: string) => void): void {
  const old = new Map(before.map((one) => [one.name, one]));
  const grown = after
    .map(({ name, heap, indexes }) => ({
      name,
      heap: (heap - (old.get(name)?.heap ?? 0)) / orders,
      indexes: (indexes - (old.get(name)?.indexes ?? 0)) / orders,
    }))
    .filter(({ heap, indexes }) => heap + indexes >= 1)
    .sort((one, other) => other.heap + other.indexes - one.heap - one.indexes);
  const total = (what: "heap" | "indexes") => grown.reduce((sum, one) => sum + one[what], 0).toFixed(0);
  say(`each order added ${total("heap")} bytes of tables and ${total("indexes")} of indexes`);
  for (const { name, heap, indexes } of grown) say(`  ${name}: ${heap.toFixed(0)} and ${indexes.toFixed(0)}`);
}

const isSettled = (what: Timed) => what === "settle";

const readDatabase = () => readTables(urlOf("haproxy"));
