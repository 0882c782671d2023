import { expect, test } from "vitest";
import { isMoneyFromProvider } from "../../../protocol/reputation/money-from-provider.ts";

test("money counts as the provider's from one half on, and never where nothing was paid", () => {
  const sums = [
    [49n, 100n],
    [50n, 100n],
    [50n, 101n],
    [0n, 100n],
    [0n, 0n],
    [1n, 0n],
  ] as const;
  expect(sums.map(([sent, paid]) => isMoneyFromProvider({ sent, paid }))).toEqual([
    false,
    true,
    false,
    false,
    false,
    false,
  ]);
});
