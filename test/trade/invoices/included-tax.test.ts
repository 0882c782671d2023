import fc from "fast-check";
import { expect, test } from "vitest";
import { taxRatePattern } from "../../../protocol/settlement/billing.ts";
import { splitTax } from "../../../trade/invoices/included-tax.ts";

test.each([
  [119n, "19", 100n, 19n],
  [2_500_000n, "19", 2_100_840n, 399_160n],
  [1n, "19", 1n, 0n],
  [0n, "19", 0n, 0n],
  [100n, "0", 100n, 0n],
  [200n, "100", 100n, 100n],
  [107_25n, "7.25", 10_000n, 725n],
  [3n, "100.00", 2n, 1n],
])("%s with %s %% is %s net and %s tax", (total, rate, net, tax) => {
  expect(splitTax(total, rate)).toEqual({ total, net, tax });
});

test("net and tax always add up, and the net amount is the nearest one", () => {
  const rates = fc.integer({ min: 0, max: 10_000 });
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 128n }), rates, (total, hundredths) => {
      const rate = (hundredths / 100).toFixed(2);
      expect(rate).toMatch(taxRatePattern);
      const { net, tax } = splitTax(total, rate);
      expect(net + tax).toBe(total);
      expect(net >= 0n && tax >= 0n).toBe(true);
      // |net - total / (1 + rate)| <= 1/2
      const off = 2n * (net * (10_000n + BigInt(hundredths)) - total * 10_000n);
      expect(off <= 10_000n + BigInt(hundredths) && -off <= 10_000n + BigInt(hundredths)).toBe(true);
    }),
  );
});

test.each(["", "100.01", "101", "-1", "1.234", "01", "1.", ".5", "1e1", "19 %"])("%s is no rate", (rate) => {
  expect(rate).not.toMatch(taxRatePattern);
});
