import { getAddress, type Hex } from "viem";
import { expect, test } from "vitest";
import { checksumAddress } from "../../settlement/checksum.ts";

const address = (first: number, end: string): Hex => `0x${first.toString(16).padStart(36, "0")}${end}`;

test("an address has its own form, whoever has its place meanwhile", () => {
  const many = Array.from({ length: 200 }, (_, n) => [
    address(n, "beef"),
    address(n, n.toString(16).padStart(4, "a")),
  ]);
  for (const one of [...many, ...many].flat()) expect(checksumAddress(one)).toBe(getAddress(one));
});

test("what is no address is refused, and the form of one is its own", () => {
  for (const text of ["0x", "0x12", address(1, "beeg"), `${address(1, "beef")}00`]) {
    expect(() => checksumAddress(text as Hex)).toThrow();
  }
  const form = checksumAddress(address(7, "beef"));
  expect(checksumAddress(form)).toBe(form);
});
