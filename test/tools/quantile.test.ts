import { expect, test } from "vitest";
import { quantile } from "../../tools/quantile.ts";

test("a quantile is a measured value", () => {
  expect(quantile([4, 1, 3, 2], 0.5)).toBe(2);
  expect(quantile([4, 1, 3, 2], 0.95)).toBe(4);
  expect(quantile([7], 0)).toBe(7);
  expect(quantile([], 0.5)).toBeNaN();
});
