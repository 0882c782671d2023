import { quantile } from "../quantile.ts";

/** A figure at a time, in seconds. */
export type Sample = { at: number; value: number };

/**
 * Computes the growth per second as the median of the slopes between all pairs (Theil–Sen), which is robust against
 * outliers. Fewer than two samples give 0.
 */
export function slope(samples: readonly Sample[]): number {
  const slopes = samples.flatMap((one, at) =>
    samples
      .slice(at + 1)
      .filter((other) => other.at !== one.at)
      .map((other) => (other.value - one.value) / (other.at - one.at)),
  );
  if (slopes.length === 0) return 0;
  const sorted = slopes.sort((one, other) => one - other);
  const [low, high] = [sorted[(sorted.length - 1) >> 1] as number, sorted[sorted.length >> 1] as number];
  return (low + high) / 2;
}

/**
 * Returns the smallest sample of each of several equal time spans: the memory of a program after a garbage collection.
 */
export function smallestPerSpan(samples: readonly Sample[], { from, to }: Span, spans: number): Sample[] {
  const wide = (to - from) / spans;
  return Array.from({ length: spans }, (_, at) =>
    samples
      .filter((one) => one.at >= from + at * wide && one.at < from + (at + 1) * wide)
      .reduce<Sample | null>((least, one) => (least && least.value <= one.value ? least : one), null),
  ).filter((one) => one !== null);
}

export type Span = { from: number; to: number };

/** Computes the growth of a count per second. The first and the last tenth do not count: start and end are slow. */
export function rateOf(counts: readonly Sample[]): number {
  const most = counts.at(-1)?.value ?? 0;
  const within = counts.filter(({ value }) => value >= most / 10 && value <= 0.9 * most);
  const [first, last] = [within[0], within.at(-1)];
  return first && last ? (last.value - first.value) / (last.at - first.at) : 0;
}

/** The allowed growth of memory in the second half: a part of its size, or bytes for each process. */
export const memoryBound = { part: 0.05, bytes: 8 * 2 ** 20 };
/** The number of spans of a half that are compared. */
const spansOfHalf = 10;

/** Judges whether the memory of a kind of process was flat over the second half of a span. */
export function judgeMemory(samples: readonly Sample[], { from, to }: Span, processes: number) {
  const half = { from: (from + to) / 2, to };
  const least = smallestPerSpan(samples, half, spansOfHalf);
  const level = quantile(
    least.map(({ value }) => value),
    0.5,
  );
  const growth = slope(least) * (half.to - half.from);
  return {
    level,
    growth,
    isFlat: growth <= Math.max(memoryBound.part * level, memoryBound.bytes * processes),
  };
}

/** The allowed slowdown of the last quarter against the second: a factor, or milliseconds. */
export const latencyBound = { times: 1.5, milliseconds: 50 };

/**
 * Checks that latencies in the last quarter of a span are as short as in the second, by their median and 95th percentile.
 * An operation that needs blocks of the chain may take one block more.
 *
 * @param samples milliseconds, at the time of each request
 * @param block the milliseconds of a block, or 0 for an operation without blocks
 */
export function judgeLatency(samples: readonly Sample[], { from, to }: Span, block: number) {
  const [p50, p95] = [0.5, 0.95].map((part) =>
    compareQuarters(samples, { from, to }, (measureFrom) =>
      quantile(
        measureFrom.map(({ value }) => value),
        part,
      ),
    ),
  ) as [Quarters, Quarters];
  return { p50, p95, isFlat: [p50, p95].every((one) => isAsFast(one, block)) };
}

type Quarters = { second: number; last: number };

function compareQuarters(
  samples: readonly Sample[],
  { from, to }: Span,
  measure: (samples: readonly Sample[]) => number,
): Quarters {
  const quarter = (to - from) / 4;
  const measureFrom = (first: number) =>
    measure(samples.filter(({ at }) => at >= first && at < first + quarter));
  return { second: measureFrom(from + quarter), last: measureFrom(to - quarter) };
}

function isAsFast({ second, last }: Quarters, block: number): boolean {
  return last <= Math.max(latencyBound.times * second, second + latencyBound.milliseconds + block);
}

/** The allowed growth of tables or indexes in the last quarter against the second: a factor, or bytes a quarter. */
export const growthBound = { times: 1.25, bytes: 2 * 2 ** 20 };

/**
 * Checks that bytes of tables or indexes grow in the last quarter of a span as fast as in the second. At a fixed rate of
 * orders, bloat is growth that becomes faster.
 *
 * @returns the growth in bytes of each quarter
 */
export function judgeGrowth(samples: readonly Sample[], span: Span) {
  const quarter = (span.to - span.from) / 4;
  const { second, last } = compareQuarters(samples, span, (part) => slope(part) * quarter);
  return { second, last, isFlat: last <= Math.max(growthBound.times * second, second + growthBound.bytes) };
}

/** The part of all rows that may be dead: as many as autovacuum leaves by its default settings. */
export const deadBound = 0.2;

/** Checks that the part of dead rows in the last quarter of a span is within the bound, or not above that of the second. */
export function judgeDead(samples: readonly Sample[], span: Span) {
  const most = compareQuarters(samples, span, (part) => Math.max(...part.map(({ value }) => value)));
  return { ...most, isFlat: most.last <= Math.max(deadBound, most.second) };
}
