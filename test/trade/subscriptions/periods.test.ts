import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nextPeriod, periodStart } from "../../../trade/subscriptions/periods.ts";

const at = (text: string) => new Date(text);
const intervals = fc.constantFrom("day", "week", "month", "year");
const instants = fc.date({
  min: at("2024-01-01T00:00:00Z"),
  max: at("2090-01-01T00:00:00Z"),
  noInvalidDate: true,
});

describe("a subscription's periods", () => {
  test.each([
    ["day", 3, "2026-03-28T10:30:00.000Z", "2026-03-31T10:30:00.000Z"],
    ["week", 2, "2026-12-25T00:00:00.000Z", "2027-01-08T00:00:00.000Z"],
    ["month", 1, "2026-01-31T23:59:59.999Z", "2026-02-28T23:59:59.999Z"],
    ["month", 2, "2026-01-31T23:59:59.999Z", "2026-03-31T23:59:59.999Z"],
    ["month", 13, "2026-12-30T00:00:00.000Z", "2028-01-30T00:00:00.000Z"],
    ["month", 1, "2028-01-31T00:00:00.000Z", "2028-02-29T00:00:00.000Z"],
    ["year", 1, "2028-02-29T12:00:00.000Z", "2029-02-28T12:00:00.000Z"],
    ["year", 4, "2028-02-29T12:00:00.000Z", "2032-02-29T12:00:00.000Z"],
  ] as const)("%s %i after %s begins at %s", (interval, period, start, expected) => {
    expect(periodStart(at(start), interval, period).toISOString()).toBe(expected);
  });

  test("follow each other, the first from the start", () => {
    fc.assert(
      fc.property(instants, intervals, fc.nat(500), (start, interval, period) => {
        expect(periodStart(start, interval, 0)).toEqual(start);
        const [this_, next] = [
          periodStart(start, interval, period),
          periodStart(start, interval, period + 1),
        ];
        expect(next.getTime()).toBeGreaterThan(this_.getTime());
        expect(next.getUTCHours()).toBe(start.getUTCHours());
      }),
    );
  });

  test("that passed are skipped: the next is the first in the future", () => {
    fc.assert(
      fc.property(instants, instants, intervals, (start, now, interval) => {
        const next = nextPeriod(start, interval, now);
        expect(next.getTime()).toBeGreaterThan(now.getTime());
        let first = 0;
        if (interval === "day") first = Math.floor((now.getTime() - start.getTime()) / 86_400_000) - 1;
        first = Math.max(0, first);
        while (periodStart(start, interval, first) <= now) first += 1;
        expect(next).toEqual(periodStart(start, interval, first));
      }),
      { numRuns: 300 },
    );
  });
});
