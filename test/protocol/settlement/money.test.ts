import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatAmount, parseAmount, shortAmount } from "../../../protocol/settlement/money.ts";

describe("parseAmount", () => {
  test.each([
    ["0", 6, 0n],
    ["1", 6, 1_000_000n],
    ["12.5", 6, 12_500_000n],
    ["12.500000", 6, 12_500_000n],
    ["12.50000000", 6, 12_500_000n],
    ["0.000001", 6, 1n],
    ["1", 0, 1n],
    ["1.0", 0, 1n],
    ["0.1", 18, 100_000_000_000_000_000n],
    // A float cannot hold this.
    ["9007199254740993.000001", 6, 9_007_199_254_740_993_000_001n],
  ])("reads %s with %i decimals as %s", (text, decimals, expected) => {
    expect(parseAmount(text, decimals)).toBe(expected);
  });

  test.each([
    ["0.0000001", 6],
    ["1.5", 0],
    ["-1", 6],
    ["+1", 6],
    ["1e3", 6],
    ["1,000", 6],
    ["1_000", 6],
    [" 1", 6],
    ["1 ", 6],
    ["1\n", 6],
    [".5", 6],
    ["1.", 6],
    ["01", 6],
    ["", 6],
    ["0x1", 6],
    ["NaN", 6],
    ["Infinity", 6],
    ["١", 6],
    ["1".repeat(61), 6],
  ])("refuses %j with %i decimals", (text, decimals) => {
    expect(parseAmount(text, decimals)).toBeNull();
  });
});

describe("formatAmount", () => {
  test.each([
    [0n, 6, "0.000000"],
    [1n, 6, "0.000001"],
    [2_500_000n, 6, "2.500000"],
    [5n, 0, "5"],
    [1n, 18, "0.000000000000000001"],
    [2n ** 128n - 1n, 6, "340282366920938463463374607431768.211455"],
  ])("writes %s with %i decimals as %s", (amount, decimals, expected) => {
    expect(formatAmount(amount, decimals)).toBe(expected);
  });
});

describe("shortAmount", () => {
  test.each([
    ["2.500000", "2.50"],
    ["0.000001", "0.000001"],
    ["5", "5.00"],
    ["1250.000000", "1,250.00"],
    ["340282366920938463463374607431768.211455", "340,282,366,920,938,463,463,374,607,431,768.211455"],
  ])("writes %s as %s", (amount, expected) => {
    expect(shortAmount(amount)).toBe(expected);
  });
});

test("reads back what it writes, for any amount and decimals", () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 2n ** 128n - 1n), fc.integer({ min: 0, max: 36 }), (amount, decimals) => {
      expect(parseAmount(formatAmount(amount, decimals), decimals)).toBe(amount);
    }),
  );
});
