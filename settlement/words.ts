import { checksumAddress } from "./primitives.ts";
import { addressPattern, bytes32Pattern } from "./shapes.ts";

/** Writes a value as its 32 bytes, in hex without 0x; null for one that is not plainly of the type. */
export type WriteWord = (value: unknown) => string | null;

const decimal = /^\d{1,78}$/;

function writeAddress(value: unknown): string | null {
  if (typeof value !== "string" || !addressPattern.test(value)) return null;
  const lower = value.toLowerCase();
  // Of mixed case only by the rule of EIP-55.
  if (value !== lower && value !== checksumAddress(value as `0x${string}`)) return null;
  return `000000000000000000000000${lower.slice(2)}`;
}

function writeBytes32(value: unknown): string | null {
  return typeof value === "string" && bytes32Pattern.test(value) ? value.slice(2) : null;
}

function writeUint(bits: number): WriteWord {
  return (value) => {
    const isWhole =
      typeof value === "number"
        ? Number.isSafeInteger(value) && value >= 0
        : typeof value === "bigint"
          ? value >= 0n
          : typeof value === "string" && decimal.test(value);
    if (!isWhole) return null;
    const digits = (typeof value === "string" ? BigInt(value) : (value as number | bigint)).toString(16);
    return digits.length * 4 > bits ? null : digits.padStart(64, "0");
  };
}

const writers = new Map<string, WriteWord>([
  ["address", writeAddress],
  ["bytes32", writeBytes32],
]);
for (const bits of [8, 16, 32, 48, 64, 128, 256]) writers.set(`uint${bits}`, writeUint(bits));

/** How EIP-712 and a contract's ABI write values of a type, alike for both; undefined for a type that is no such word. */
export const wordWriterOf = (type: string): WriteWord | undefined => writers.get(type);
