/** Reproducible random numbers. */
export type Random = ReturnType<typeof createRandom>;

/** Makes a generator (sfc32) whose numbers depend only on the seed and on the name of their use. */
export function createRandom(seed: number, purpose = "") {
  // The constants `b` and `c` are arbitrary: the fractions of the golden ratio and of pi. The rounds mix them.
  let [a, b, c, d] = [seed >>> 0, 0x9e3779b9, 0x243f6a88, 1];
  // The prime of FNV-1a for 32 bits.
  for (const letter of purpose) c = Math.imul(c ^ letter.charCodeAt(0), 0x01000193);
  const next = (): number => {
    const sum = (((a + b) >>> 0) + d++) >>> 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) >>> 0;
    c = ((c << 21) | (c >>> 11)) >>> 0;
    c = (c + sum) >>> 0;
    return sum;
  };
  for (let round = 0; round < 12; round += 1) next();
  const fraction = () => next() / 2 ** 32;
  const whole = (least: number, most: number) => least + Math.floor(fraction() * (most - least + 1));
  return {
    /** in [0, 1) */
    fraction,
    /** both ends included */
    whole,
    chance: (probability: number) => fraction() < probability,
    pick: <T>(from: readonly T[]): T => from[whole(0, from.length - 1)] as T,
    /** The same elements in another order. */
    shuffle<T>(of: readonly T[]): T[] {
      const left = [...of];
      return of.map(() => left.splice(whole(0, left.length - 1), 1)[0] as T);
    },
    hex: (bytes: number): `0x${string}` =>
      `0x${Array.from({ length: bytes }, () => whole(0, 255).toString(16).padStart(2, "0")).join("")}`,
  };
}
