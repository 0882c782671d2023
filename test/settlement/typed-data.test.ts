import fc from "fast-check";
import { getAddress, type Hex, hashTypedData } from "viem";
import { expect, test } from "vitest";
import { type TypedData, typedDataOf } from "../../settlement/signatures.ts";
import { hashTyped } from "../../settlement/typed-data.ts";
import { permitData } from "../../settlement/x402.ts";

/** The digest, or that there is none. */
function outcome(hash: (data: TypedData) => Hex, data: TypedData): Hex | "refused" {
  try {
    return hash(data);
  } catch {
    return "refused";
  }
}

const expectAlike = (data: TypedData) => expect(outcome(hashTyped, data)).toBe(outcome(hashTypedData, data));

const hex = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((value): Hex => `0x${Buffer.from(value).toString("hex")}`);
const upper = (value: Hex): Hex => `0x${value.slice(2).toUpperCase()}`;
const address = hex(20).chain((value) => fc.constantFrom(value, getAddress(value), upper(value)));
const odd = fc.constantFrom<string | number>(
  "",
  "0x",
  "0x00",
  "-1",
  -1,
  1.5,
  2 ** 60,
  " 1",
  "1e3",
  "0x10",
  "00012",
  "Infinity",
);
const large = fc.bigInt({ min: 0n, max: 2n ** 257n }).map(String);
const values: Record<string, fc.Arbitrary<string | number>> = {
  address: fc.oneof({ weight: 20, arbitrary: address }, odd, hex(19), hex(21)),
  uint256: fc.oneof({ weight: 10, arbitrary: large }, fc.nat(), odd),
  uint128: fc.oneof({ weight: 10, arbitrary: fc.bigInt({ min: 0n, max: 2n ** 129n }).map(String) }, odd),
  uint32: fc.oneof({ weight: 10, arbitrary: fc.integer({ min: 0, max: 2 ** 33 }) }, odd),
  uint8: fc.oneof(fc.integer({ min: 0, max: 260 }), odd),
  bytes32: fc.oneof({ weight: 20, arbitrary: hex(32) }, hex(32).map(upper), hex(31), hex(33), odd),
  string: fc.string(),
  bytes: hex(5),
  int8: fc.integer({ min: -130, max: 130 }),
  bool: fc.constantFrom<string | number>("true", 0, 1),
};
const field = fc
  .constantFrom(...Object.keys(values))
  .chain((type) => (values[type] as fc.Arbitrary<string | number>).map((value) => ({ type, value })));
const names = ["from", "to", "value", "nonce"];
const domain = fc.record({
  name: fc.constantFrom("USDC", "Permit2", 'a"b'),
  version: fc.constantFrom("1", "2"),
  chainId: fc.constantFrom(1, 8453),
  verifyingContract: fc.constantFrom<Hex>(
    "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "0x0000000000000000000000000000000000000001",
  ),
});

test("typed data has the digest that viem gives it, and is refused where viem refuses it", () => {
  fc.assert(
    fc.property(
      domain,
      fc.array(field, { maxLength: 4 }),
      fc.constantFrom("Transfer", "Receive"),
      (of, fields, primaryType) => {
        const members = fields.map(({ type }, at) => ({ name: names[at] as string, type }));
        const message = Object.fromEntries(fields.map(({ value }, at) => [names[at] as string, value]));
        expectAlike(typed(of, primaryType, members, message));
        // What the types do not name is not signed.
        expectAlike(typed(of, primaryType, members.slice(1), message));
        // Without one that they name.
        expectAlike(typed(of, primaryType, [...members, { name: "missing", type: "uint256" }], message));
      },
    ),
    { numRuns: 1000 },
  );
});

function typed(
  of: TypedData["domain"],
  primaryType: string,
  members: { name: string; type: string }[],
  message: TypedData["message"],
): TypedData {
  const { types } = typedDataOf({ chainId: 1, escrowContract: of.verifyingContract }, "Release", {
    escrowId: "0x",
    deadline: 1n,
  });
  return {
    domain: of,
    types: { EIP712Domain: types.EIP712Domain ?? [], [primaryType]: members },
    primaryType,
    message,
  };
}

test("a domain of other fields is another domain, and what is nested is hashed too", () => {
  const payable = {
    ...{ chainId: 1, amount: 5n, fundBy: 2_000_000_000 },
    token: { address: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", name: "USDC", version: "2" },
    depositAddress: "0x0000000000000000000000000000000000000001",
  } as const;
  const permit = permitData(payable, 7n, 1_999_999_999n);
  expect(hashTyped(permit)).toBe(hashTypedData(permit));
  const flat = typed(permit.domain, "Transfer", [{ name: "value", type: "uint256" }], { value: "1" });
  const fewer = { ...flat, types: { ...flat.types, EIP712Domain: permit.types.EIP712Domain ?? [] } };
  for (const data of [flat, fewer, flat]) expectAlike(data);
});
