import fc from "fast-check";
import { concat, type Hex, pad, size, toHex } from "viem";
import { expect, test } from "vitest";
import { arrange, encodeBatch } from "../../../jobs/relay/packing.ts";
import { callsOf } from "../../../simulation/checker/relayed.ts";

const target: Hex = "0x00000000000000000000000000000000000000aa";
const batch: Hex = "0x00000000000000000000000000000000000000bb";

/** What the batch's contract is given to call, read as docs/contract.md says. */
function unpack(input: Hex): Hex[] {
  const calls = callsOf({ hash: "0x1", to: batch, input, status: "success", logs: [] });
  expect(new Set(calls.map(({ to }) => to))).toEqual(new Set([target]));
  return calls.map((call) => call.input);
}

const callOf = (data: Hex, orderId: string | null = null) => ({
  row: { to: target, data, orderId },
  gas: 7n,
});

test("each call comes out as it went in, whatever the others are", () => {
  const bytes = fc.uint8Array({ maxLength: 80 });
  // Few functions, few lengths and few values, so that calls have much alike.
  const alike = fc
    .tuple(
      fc.constantFrom(1, 2),
      fc.constantFrom(0, 3, 70),
      fc.infiniteStream(fc.constantFrom(0, 0, 0, 7, 8)),
    )
    .map(([selector, length, values]) => Uint8Array.from([selector, 0, 0, 0, ...values.take(length)]));
  fc.assert(
    fc.property(fc.array(fc.oneof(bytes, alike), { minLength: 1, maxLength: 30 }), (all) => {
      const data = all.map((each) => toHex(each));
      expect(unpack(encodeBatch(data.map((each) => callOf(each))))).toEqual(data);
    }),
    { numRuns: 500 },
  );
});

test("what calls of one function have alike is written once", () => {
  const data = Array.from({ length: 20 }, (_, at) =>
    concat(["0x12345678", pad("0xff", { size: 300 }), pad(toHex(at + 1), { size: 32 }), "0xabcdef"]),
  );
  const packed = encodeBatch(data.map((each) => callOf(each)));
  expect(unpack(packed)).toEqual(data);
  // The call's own words, the form with its one gap, and of each call its gas and a byte.
  expect(size(packed)).toBeLessThan(4 + 5 * 32 + 9 + 339 + 6 + 20 * 4 + 32);
});

test("calls are put beside those of their form, in the order in which they came", () => {
  const calls = ["0x11111111aa", "0x22222222aa", "0x11111111bbcc", "0x11111111bb", "0x22222222bb"].map(
    (data, at) => callOf(data as Hex, `ord_${at}`),
  );
  expect(arrange(calls).map(({ row }) => row.data)).toEqual([
    ...["0x11111111aa", "0x11111111bb", "0x22222222aa", "0x22222222bb", "0x11111111bbcc"],
  ]);
});

test("calls stay as they came where one order has two, or one is of no order", () => {
  for (const third of ["ord_1", null]) {
    const calls = [callOf("0x11111111", "ord_1"), callOf("0x22222222", "ord_2"), callOf("0x11111111", third)];
    expect(arrange(calls)).toEqual(calls);
  }
});
