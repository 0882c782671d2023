import { expect, test } from "vitest";
import {
  judgeDead,
  judgeGrowth,
  judgeLatency,
  judgeMemory,
  rateOf,
  type Sample,
  slope,
  smallestPerSpan,
} from "../../../tools/cluster/flatness.ts";

const megabyte = 2 ** 20;
/** A figure each 5 seconds of 20 minutes. */
const sampled = (value: (at: number) => number): Sample[] =>
  Array.from({ length: 240 }, (_, index) => ({ at: index * 5, value: value(index * 5) }));
const span = { from: 0, to: 1200 };
/** Rises by 40 MB and falls again each 35 seconds, as between garbage collections. */
const tooth = (at: number) => ((at % 35) / 35) * 40 * megabyte;

test("the slope is that of the straight line, whatever a few outliers are", () => {
  const line = [0, 1, 2, 3, 4, 5, 6].map((at) => ({ at, value: 10 + 3 * at }));
  expect(slope(line)).toBe(3);
  expect(slope(line.map((one, at) => (at === 5 ? { ...one, value: 1e9 } : one)))).toBe(3);
  expect(slope([{ at: 1, value: 5 }])).toBe(0);
});

test("the rate is that of the middle of a count", () => {
  const slowly = [0, 10, 20].map((at) => ({ at, value: at / 10 }));
  const quickly = Array.from({ length: 98 }, (_, index) => ({ at: 21 + index, value: 3 + index }));
  expect(rateOf([...slowly, ...quickly])).toBe(1);
  expect(rateOf([])).toBe(0);
});

test("the smallest sample of each span is found; a span without samples has none", () => {
  const samples = [3, 1, 2, 9, 8].map((value, at) => ({ at, value }));
  expect(smallestPerSpan(samples, { from: 0, to: 9 }, 3)).toEqual([
    { at: 1, value: 1 },
    { at: 4, value: 8 },
  ]);
});

test("memory that rises and falls with garbage collection is flat, and so is one that grew before the second half", () => {
  expect(judgeMemory(sampled(tooth), span, 1).isFlat).toBe(true);
  const warmed = sampled((at) => (Math.min(at, 500) / 500) * 300 * megabyte + tooth(at));
  expect(judgeMemory(warmed, span, 1).isFlat).toBe(true);
});

test("memory that grows beneath garbage collection is not flat", () => {
  const leaks = (perMinute: number) =>
    judgeMemory(
      sampled((at) => 100 * megabyte + (at / 60) * perMinute * megabyte + tooth(at)),
      span,
      1,
    );
  expect(leaks(0.5)).toMatchObject({ isFlat: true });
  const { isFlat, growth } = leaks(2);
  expect(isFlat).toBe(false);
  expect(growth / megabyte).toBeCloseTo(20, 0);
});

test("latency is flat unless the last quarter is slower than the second, by its median or by its slow ones", () => {
  const judged = (last: (at: number) => number, block = 0) =>
    judgeLatency(
      sampled((at) => (at < 900 ? 100 : last(at))),
      span,
      block,
    ).isFlat;
  expect(judged(() => 100)).toBe(true);
  expect(judged(() => 149)).toBe(true);
  expect(judged(() => 151)).toBe(false);
  expect(judged(() => 1100, 1000)).toBe(true);
  // One of ten is slow: the median does not show it.
  expect(judged((at) => (at % 50 === 0 ? 400 : 100))).toBe(false);
});

test("a quarter without any answer is not flat", () => {
  const early = sampled(() => 100).filter(({ at }) => at < 800);
  expect(judgeLatency(early, span, 0).isFlat).toBe(false);
});

test("tables grow flat at a constant rate, and not flat when each order adds more bytes than before", () => {
  const grows = (perSecond: (at: number) => number) => {
    let bytes = 0;
    return judgeGrowth(
      sampled((at) => {
        bytes += 5 * perSecond(at);
        return bytes;
      }),
      span,
    );
  };
  expect(grows(() => 50_000)).toMatchObject({ isFlat: true });
  // A quarter has 300 seconds: 15 MB, then 21 MB.
  const bloated = grows((at) => (at < 900 ? 50_000 : 70_000));
  expect(bloated.isFlat).toBe(false);
  expect(bloated.last / bloated.second).toBeCloseTo(1.4, 1);
  // Two megabytes more are within the bound, whatever the factor.
  expect(grows((at) => (at < 900 ? 0 : 6000))).toMatchObject({ isFlat: true });
});

test("dead rows are flat up to a fifth of the rows, or up to their part in the second quarter", () => {
  const judged = (second: number, last: number) =>
    judgeDead(
      sampled((at) => (at < 900 ? second : last)),
      span,
    ).isFlat;
  expect(judged(0.01, 0.19)).toBe(true);
  expect(judged(0.01, 0.21)).toBe(false);
  expect(judged(0.4, 0.39)).toBe(true);
});
