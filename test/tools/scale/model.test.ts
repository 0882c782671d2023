import { expect, test } from "vitest";
import { bytesAfter, coresAt, measuredOrder, plan, usualSite } from "../../../tools/scale/model.ts";

const sum = (of: Record<string, number>) => Object.values(of).reduce((one, other) => one + other, 0);
/** Within a quarter of a measured value. */
const expectNear = (value: number, measured: number) => {
  expect(value).toBeGreaterThan(0.75 * measured);
  expect(value).toBeLessThan(1.25 * measured);
};

// The figures of the model come from the eleventh minute of a soak. The points are the minutes 11 to 23 of that soak, the growth of its
// database over 44 minutes, and another soak's ceiling.

test("a soak at 0.7 orders a second used as many cores as the model says", () => {
  const { standby, ...others } = coresAt(0.7);
  expectNear(sum(others) + usualSite.standbys * standby, 0.51);
});

test("two quiet cores settled 2.2 whole orders a second, with the chain, the traders and etcd on them", () => {
  const { standby, ...others } = coresAt(2.2);
  /** Processor seconds of these for each order. */
  const besides = 0.15;
  expectNear(sum(others) + usualSite.standbys * standby + 2.2 * besides, 2);
});

test("the database of a soak grew by as many bytes as the model says", () => {
  expectNear(bytesAfter(1000, 1), 1000 * 72_400);
});

test("the bytes of passing rows stop growing after the retention, and those of kept rows do not", () => {
  const { kept, passing, dayLong } = measuredOrder.bytes;
  expect(bytesAfter(10, 30)).toBe(10 * (30 * kept + 30 * passing + dayLong));
  expect(bytesAfter(10, 365)).toBe(10 * (365 * kept + 30 * passing + dayLong));
});

test("a plan has one primary until its cores are too few, and then shards", () => {
  expect(plan(1e6)).toMatchObject({ shards: 1, machines: { databases: 3 } });
  const large = plan(1e8);
  expect(large.primaryCores).toBeLessThanOrEqual(usualSite.primaryCores);
  expect(large.machines.databases).toBe(3 * large.shards);
  expect(large.shards * large.primaryCores * usualSite.use).toBeGreaterThanOrEqual(
    coresAt(large.ordersAtPeak).primary,
  );
});

test("ten times the orders cost about ten times as much", () => {
  for (const orders of [1e6, 1e7]) {
    const ratio = plan(10 * orders).costOfMonth / plan(orders).costOfMonth;
    expect(ratio).toBeGreaterThan(8);
    expect(ratio).toBeLessThanOrEqual(10.5);
  }
});
