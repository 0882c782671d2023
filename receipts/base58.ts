/**
 * Base58btc of 64 bytes, the length of a signature. The powers of each base are kept in digits of the other, so that a
 * number is a sum of products: the general way divides it digit by digit, which costs a sixth of a signature.
 */

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const BYTES = 64;
/** 64 bytes come to 88 characters at most. */
const CHARACTERS = 88;

// A number is 32 limbs of 16 bits, or 18 groups of five characters, the least first.
const LIMB = 2 ** 16;
const GROUP = 58 ** 5;
// They are written over at each call: to make a typed array costs as much as half of the sums.
const limbs = new Float64Array(32);
const groups = new Float64Array(18);
/** 88 characters may come to more than 64 bytes, by less than a limb. */
const wide = new Float64Array(limbs.length + 1);
const text = new Uint8Array(groups.length * 5);

const limbPowers = powersOf(LIMB, limbs.length, GROUP, groups.length);
const groupPowers = powersOf(GROUP, groups.length, LIMB, wide.length);

const codes = Uint8Array.from(ALPHABET, (character) => character.charCodeAt(0));
/** The values of characters by their codes; 255 is none. */
const values = new Uint8Array(128).fill(255);
for (const [value, code] of codes.entries()) values[code] = value;

const ascii = new TextDecoder();

/** The text of 64 bytes. */
export function encode64(bytes: Uint8Array): string {
  if (bytes.length !== BYTES) throw new RangeError(`It has ${bytes.length} bytes, not ${BYTES}.`);
  for (let i = 0, at = BYTES - 2; at >= 0; i++, at -= 2) {
    limbs[i] = (bytes[at] as number) * 256 + (bytes[at + 1] as number);
  }
  convert(limbs, limbPowers, groups, GROUP);
  for (let i = 0, at = text.length - 1; i < groups.length; i++) {
    let rest = (groups[i] as number) | 0;
    for (let n = 0; n < 5; n++, at--) {
      const quotient = (rest / 58) | 0;
      text[at] = codes[rest - quotient * 58] as number;
      rest = quotient;
    }
  }
  // A zero byte before the number is a character; a zero digit before it is none.
  let zeros = 0;
  while (bytes[zeros] === 0) zeros++;
  let begin = 0;
  while (text[begin] === codes[0]) begin++;
  return ascii.decode(text.subarray(begin - zeros));
}

/** The 64 bytes of a text; null for any text but what `encode64` writes. */
export function decode64(written: string): Uint8Array | null {
  if (written.length > CHARACTERS) return null;
  groups.fill(0);
  for (let end = written.length, i = 0; end > 0; end -= 5, i++) {
    let group = 0;
    for (let at = Math.max(end - 5, 0); at < end; at++) {
      const value = values[written.charCodeAt(at)] ?? 255;
      if (value === 255) return null;
      group = group * 58 + value;
    }
    groups[i] = group;
  }
  convert(groups, groupPowers, wide, LIMB);
  if (wide[limbs.length] !== 0) return null;
  const bytes = new Uint8Array(BYTES);
  for (let i = 0, at = BYTES - 2; at >= 0; i++, at -= 2) {
    const limb = wide[i] as number;
    bytes[at] = limb >> 8;
    bytes[at + 1] = limb;
  }
  let zeros = 0;
  while (bytes[zeros] === 0) zeros++;
  let ones = 0;
  while (written[ones] === ALPHABET[0]) ones++;
  return zeros === ones ? bytes : null;
}

/** The first powers of one base, each in digits of another, without the zeros at its end. */
function powersOf(base: number, count: number, radix: number, size: number): Float64Array[] {
  const powers = [Float64Array.of(1)];
  for (let last = powers[0]; last && powers.length < count; last = powers.at(-1)) {
    const next = new Float64Array(size);
    for (const [i, digit] of last.entries()) next[i] = digit * base;
    carry(next, radix);
    powers.push(next.slice(0, next.findLastIndex((digit) => digit !== 0) + 1));
  }
  return powers;
}

/** Writes a number's digits in another base. A sum stays below 32 * GROUP * LIMB, which is less than 2 ** 53: it is exact. */
function convert(from: Float64Array, powers: Float64Array[], into: Float64Array, radix: number): void {
  into.fill(0);
  for (let i = 0; i < from.length; i++) {
    const digit = from[i] as number;
    const power = powers[i] as Float64Array;
    for (let at = 0; at < power.length; at++) into[at] = (into[at] as number) + digit * (power[at] as number);
  }
  carry(into, radix);
}

function carry(sums: Float64Array, radix: number): void {
  let over = 0;
  for (let i = 0; i < sums.length; i++) {
    const sum = (sums[i] as number) + over;
    over = Math.floor(sum / radix);
    sums[i] = sum - over * radix;
  }
}
