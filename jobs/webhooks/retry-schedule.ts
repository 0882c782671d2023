/** Seconds from a failed attempt to the next: the first delay, by what each grows to the next, and the most. */
const backoff = { first: 5, factor: 5, most: 86_400 };

/** How many times a delivery is tried: over three days. */
export const mostAttempts = 10;

/** How far a delay is moved at random, so that what failed together does not come back together. */
const jitter = 0.2;

/**
 * Milliseconds until the next attempt; null after the last one.
 *
 * @param attempts how many there were, from 1
 * @param retryAfter milliseconds that the receiver asked for: granted between the schedule's own delay and twice that
 * @param random a number in [0, 1)
 */
export function delayAfter(attempts: number, retryAfter: number | null, random: number): number | null {
  if (attempts >= mostAttempts) return null;
  const { first, factor, most } = backoff;
  const delay = Math.min(first * factor ** (attempts - 1), most) * 1000;
  if (retryAfter !== null) return Math.min(Math.max(retryAfter, delay), 2 * delay);
  return Math.round(delay * (1 - jitter + 2 * jitter * random));
}
