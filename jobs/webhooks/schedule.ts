/**
 * Seconds from a failed attempt to the next: Standard Webhooks' schedule, ten attempts over three days.
 */
const delays = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** How many times a delivery is tried. */
export const mostAttempts = delays.length + 1;

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
  const seconds = delays[attempts - 1];
  if (seconds === undefined) return null;
  const delay = seconds * 1000;
  if (retryAfter !== null) return Math.min(Math.max(retryAfter, delay), 2 * delay);
  return Math.round(delay * (1 - jitter + 2 * jitter * random));
}
