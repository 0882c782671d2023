/** The largest number that the chain's machine has. */
export const max = 2n ** 256n - 1n;

const signed = (value: bigint) => (value >= 2n ** 255n ? value - max - 1n : value);
const truth = (holds: boolean) => (holds ? 1n : 0n);

/** The machine's instructions that take two numbers, the one on top first, and give one. */
export const arithmetic: Record<number, (top: bigint, next: bigint) => bigint> = {
  1: (a, b) => (a + b) & max,
  2: (a, b) => (a * b) & max,
  3: (a, b) => (a - b) & max,
  4: (a, b) => (b === 0n ? 0n : a / b),
  6: (a, b) => (b === 0n ? 0n : a % b),
  10: power,
  11: extend,
  16: (a, b) => truth(a < b),
  17: (a, b) => truth(a > b),
  18: (a, b) => truth(signed(a) < signed(b)),
  19: (a, b) => truth(signed(a) > signed(b)),
  20: (a, b) => truth(a === b),
  22: (a, b) => a & b,
  23: (a, b) => a | b,
  24: (a, b) => a ^ b,
  26: (index, value) => (index > 31n ? 0n : (value >> (8n * (31n - index))) & 0xffn),
  27: (shift, value) => (shift > 255n ? 0n : (value << shift) & max),
  28: (shift, value) => (shift > 255n ? 0n : value >> shift),
};

function power(base: bigint, exponent: bigint): bigint {
  let [square, result] = [base, 1n];
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) & max;
    square = (square * square) & max;
  }
  return result;
}

function extend(bytes: bigint, value: bigint): bigint {
  const bit = bytes < 31n ? 8n * bytes + 7n : 255n;
  const isNegative = ((value >> bit) & 1n) === 1n;
  return isNegative ? value | (max ^ ((1n << bit) - 1n)) : value & ((1n << (bit + 1n)) - 1n);
}
