/** Seconds from a failed attempt to the next: the first delay, the factor from each to the next, and the longest. */
const backoff = { first: 5, factor: 5, most: 86_400 };

/** The most attempts of a delivery: over three days. */
export const mostAttempts = 10;

/** The random share of a delay, so that attempts that failed together are not repeated together. */
const jitter = 0.2;

/**
 * Returns the milliseconds until the next attempt; null after the last one.
 *
 * @param attempts the number of attempts, from 1
 * @param retryAfter milliseconds that the receiver requested: granted between the schedule's own delay and twice that
 * @param random a number in [0, 1)
 */
export function delayAfter(attempts: number, retryAfter: number | null, random: number): number | null {
  if (attempts >= mostAttempts) return null;
  const { first, factor, most } = backoff;
  const delay = Math.min(first * factor ** (attempts - 1), most) * 1000;
  if (retryAfter !== null) return Math.min(Math.max(retryAfter, delay), 2 * delay);
  return Math.round(delay * (1 - jitter + 2 * jitter * random));
}
