import fc from "fast-check";
import { type Abi, encodeFunctionData, getAddress, type Hex, parseAbi } from "viem";
import { expect, test } from "vitest";
import { escrowAbi } from "../../abis/escrow.ts";
import { callWriterOf } from "../../settlement/call-data.ts";

/** The call data, or that there is none. */
function outcome(write: () => Hex): Hex | "refused" {
  try {
    return write();
  } catch {
    return "refused";
  }
}

/** Expects what viem writes, and a refusal where it refuses. */
function expectAlike(abi: Abi, functionName: string, args: readonly unknown[]): Hex | "refused" {
  const written = outcome(() => callWriterOf(abi, functionName)(args));
  expect(written).toBe(outcome(() => encodeFunctionData({ abi, functionName, args })));
  return written;
}

const hex = (least: number, most = least) =>
  fc
    .uint8Array({ minLength: least, maxLength: most })
    .map((value): Hex => `0x${Buffer.from(value).toString("hex")}`);
const upper = (value: Hex): Hex => `0x${value.slice(2).toUpperCase()}`;
const address = hex(20).chain((value) => fc.constantFrom(value, getAddress(value)));
const odd = fc.constantFrom<unknown>(
  "",
  "0x",
  "0xabc",
  "zz",
  "12",
  "0x10",
  -1,
  -1n,
  1.5,
  2 ** 60,
  null,
  {},
  [],
);
type Choose = (value: fc.Arbitrary<unknown>, ...others: fc.Arbitrary<unknown>[]) => fc.Arbitrary<unknown>;
const good: Choose = (value) => value;
/** Mostly of the type. */
const mostly: Choose = (value, ...others) => fc.oneof({ weight: 100, arbitrary: value }, odd, ...others);

/** Values of the ABI's types, which `choose` takes as they are or mixes with others. */
const valuesBy = (choose: Choose) => ({
  address: choose(address, hex(20).map(upper), hex(19), hex(21)),
  word: choose(fc.oneof(hex(32), hex(32).map(upper)), hex(31), hex(33)),
  bytes: choose(fc.oneof(hex(0, 200), hex(65), hex(64).map(upper))),
  uint: (bits: number) =>
    choose(
      fc.oneof(
        fc.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n }),
        fc.nat({ max: 2 ** Math.min(bits, 31) - 1 }),
      ),
      fc.constant(2n ** BigInt(bits)),
    ),
});

function paymentArguments(choose: Choose) {
  const { address, word, bytes, uint } = valuesBy(choose);
  const terms = fc.record({
    ...{ buyer: address, provider: address, token: address, amount: uint(128), fundBy: uint(48) },
    ...{ deliveryWindow: uint(32), acceptanceWindow: uint(32), disputeWindow: uint(32) },
    ...{ appealWindow: uint(32), arbiter: address, orderHash: word },
  });
  return {
    creation: fc.tuple(choose(terms), address, uint(256), uint(256), word, bytes),
    transfer: fc.tuple(address, address, uint(256), uint(256), uint(256), word, uint(8), word, word),
  };
}

test("the calls of a payment are written as viem writes them, and refused where viem refuses", () => {
  const token = parseAbi([
    "function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)",
  ]);
  for (const [choose, accepts] of [[good, true] as const, [mostly, false] as const]) {
    const { creation, transfer } = paymentArguments(choose);
    const calls = fc.oneof(
      creation.map((args) => ({ abi: escrowAbi as Abi, name: "createEscrowWithAuthorization", args })),
      transfer.map((args) => ({ abi: token as Abi, name: "transferWithAuthorization", args })),
    );
    fc.assert(
      fc.property(calls, ({ abi, name, args }) => {
        const written = expectAlike(abi, name, args);
        if (accepts) expect(written).not.toBe("refused");
      }),
      { numRuns: 1000 },
    );
  }
});

test("several bytes each have their place, and what is no list of words is viem's", () => {
  const abi = parseAbi([
    "function two(bytes a, uint64 n, bytes b, (address to, uint16 n) last)",
    "function texts(string a, bytes b)",
    "function lists(uint256[] a, (bytes32 a, bytes b) c)",
    "function nothing()",
  ]);
  const { address, bytes, uint } = valuesBy(mostly);
  fc.assert(
    fc.property(
      fc.tuple(bytes, uint(64), bytes, fc.record({ to: address, n: uint(16) })),
      (given) => void expectAlike(abi, "two", given),
    ),
    { numRuns: 300 },
  );
  expectAlike(abi, "texts", ["a text", "0x1234"]);
  expectAlike(abi, "lists", [[1n, 2n], { a: `0x${"12".repeat(32)}`, b: "0x99" }]);
  expect(expectAlike(abi, "nothing", [])).toHaveLength(10);
  // One argument too few, and one too many.
  expectAlike(abi, "two", ["0x12", 1n, "0x34"]);
  expectAlike(abi, "two", ["0x12", 1n, "0x34", { to: `0x${"12".repeat(20)}`, n: 1 }, 5n]);
});
