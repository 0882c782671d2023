/**
 * The cost of one order: processor seconds of each kind of process, and bytes of the primary's disk. The default is
 * measured: docs/scale.md says how.
 */
export type Order = {
  seconds: {
    primary: number;
    standby: number;
    api: number;
    worker: number;
    indexer: number;
    proxies: number;
  };
  bytes: {
    /** of rows that stay: orders, facts, receipts, relayed calls, outcomes, the index of the chain */
    kept: number;
    /** of rows that the retention removes after `retentionDays`: events, deliveries, attempts */
    passing: number;
    /** of rows that stay for a day: answers for an `Idempotency-Key` */
    dayLong: number;
    /** of write-ahead log, which each standby receives */
    log: number;
  };
  /** calls that the relayer sends for each order */
  calls: number;
};

export const measuredOrder: Order = {
  seconds: { primary: 0.36, standby: 0.017, api: 0.11, worker: 0.215, indexer: 0.047, proxies: 0.067 },
  bytes: { kept: 42_000, passing: 31_000, dayLong: 4000, log: 230_000 },
  calls: 2,
};

/** The choices of an operator, and the limits of the machines. */
export type Site = {
  /** the busiest second in relation to the mean of a day */
  peak: number;
  /** the part of the processors that the busiest second may use */
  use: number;
  /** cores of the largest machine that a primary can have, and of each other machine */
  primaryCores: number;
  machineCores: number;
  standbys: number;
  /** days for which passing rows stay */
  retentionDays: number;
  /** days for which kept rows have gathered */
  ageDays: number;
  /** calls a second that a chain takes from one relayer */
  callsOfChain: number;
};

export const usualSite: Site = {
  peak: 3,
  use: 0.5,
  primaryCores: 96,
  machineCores: 16,
  standbys: 2,
  retentionDays: 30,
  ageDays: 365,
  callsOfChain: 50,
};

/** Prices of a month in one currency. They are assumptions: put in those of your provider. */
export type Prices = { core: number; gigabyte: number };
export const usualPrices: Prices = { core: 30, gigabyte: 0.12 };

export type Plan = {
  ordersAtPeak: number;
  /** primaries, of which each has its standbys; more than one means sharding */
  shards: number;
  /** cores of each primary */
  primaryCores: number;
  machines: { databases: number; api: number; worker: number; indexer: number; proxies: number };
  cores: number;
  /** gigabytes of all primaries, and of all copies */
  gigabytes: { primary: number; all: number };
  /** megabytes of write-ahead log that one primary writes in the busiest second */
  logMegabytes: number;
  /** chains, or relayers, that take the calls of the peak */
  chains: number;
  costOfMonth: number;
};

const secondsOfDay = 86_400;
const gigabyte = 1e9;

/** The cores that a rate of orders uses, of each kind of process, without reserve. */
export function coresAt(ordersPerSecond: number, { seconds }: Order = measuredOrder): Order["seconds"] {
  return Object.fromEntries(
    Object.entries(seconds).map(([kind, each]) => [kind, each * ordersPerSecond]),
  ) as Order["seconds"];
}

/** The bytes of the primary's disk after so many days, at a constant number of orders a day. */
export function bytesAfter(
  ordersPerDay: number,
  days: number,
  { bytes }: Order = measuredOrder,
  retentionDays = usualSite.retentionDays,
): number {
  const passing = bytes.passing * Math.min(days, retentionDays) + bytes.dayLong * Math.min(days, 1);
  return ordersPerDay * (bytes.kept * days + passing);
}

/** Plans machines, disks and cost for a number of orders a day. */
export function plan(
  ordersPerDay: number,
  { order = measuredOrder, site = usualSite, prices = usualPrices } = {},
): Plan {
  const ordersAtPeak = (ordersPerDay / secondsOfDay) * site.peak;
  const needed = coresAt(ordersAtPeak, order);
  const withReserve = (cores: number) => cores / site.use;
  const shards = Math.max(1, Math.ceil(withReserve(needed.primary) / site.primaryCores));
  const primaryCores = Math.max(2, Math.ceil(withReserve(needed.primary) / shards));
  const databases = shards * (1 + site.standbys);
  const count = (cores: number) => Math.max(2, Math.ceil(withReserve(cores) / site.machineCores));
  const machines = {
    databases,
    api: count(needed.api),
    worker: count(needed.worker),
    indexer: count(needed.indexer),
    proxies: count(needed.proxies),
  };
  const coresOf = (kind: "api" | "worker" | "indexer" | "proxies") =>
    machines[kind] *
    Math.min(site.machineCores, Math.max(1, Math.ceil(withReserve(needed[kind]) / machines[kind])));
  // A standby has the cores of its primary, because it takes its place.
  const cores =
    databases * primaryCores + coresOf("api") + coresOf("worker") + coresOf("indexer") + coresOf("proxies");
  const primary = bytesAfter(ordersPerDay, site.ageDays, order, site.retentionDays) / gigabyte;
  const all = primary * (1 + site.standbys);
  return {
    ordersAtPeak,
    shards,
    primaryCores,
    machines,
    cores,
    gigabytes: { primary, all },
    logMegabytes: (ordersAtPeak * order.bytes.log) / shards / 1e6,
    chains: Math.max(1, Math.ceil((ordersAtPeak * order.calls) / site.callsOfChain)),
    costOfMonth: cores * prices.core + all * prices.gigabyte,
  };
}
