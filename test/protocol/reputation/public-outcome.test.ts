import { expect, test } from "vitest";
import { isPaid, type Outcome } from "../../../protocol/reputation/public-outcome.ts";

test.each<[ended: Outcome["ended"], released: string, refunded: string, paid: boolean]>([
  ["released", "100", "0", true],
  ["metered", "1", "99", true],
  ["metered", "0", "100", false],
  ["split", "51", "49", true],
  ["split", "50", "50", false],
  ["split", "49", "51", false],
  ["refunded", "0", "100", false],
  ["declined", "0", "100", false],
])(
  "the provider of an order that is %s, with %s released and %s refunded, was paid: %#",
  (...[ended, released, refunded, paid]) => {
    expect(isPaid({ ended, released, refunded })).toBe(paid);
    expect(isPaid({ ended, released: BigInt(released), refunded: BigInt(refunded) })).toBe(paid);
  },
);
