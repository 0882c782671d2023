import fc from "fast-check";
import { expect, test } from "vitest";
import { writeTime } from "../../../api/http/times.ts";

test("a time is written as Date writes it, whatever its year", () => {
  fc.assert(
    fc.property(fc.date({ noInvalidDate: true }), (time) => {
      expect(writeTime(time)).toBe(time.toISOString());
    }),
    { numRuns: 2000 },
  );
  for (const edge of [0, -1, 999, 86_399_999, 86_400_000, -62_198_755_200_000, 8.64e15, -8.64e15]) {
    expect(writeTime(new Date(edge))).toBe(new Date(edge).toISOString());
  }
});

test("an invalid date is refused as Date refuses it", () => {
  expect(() => writeTime(new Date(Number.NaN))).toThrow(RangeError);
});
