import { expect } from "vitest";

/** How many requests were accepted, and the room that came back meanwhile: a bucket fills evenly, its limit in a minute. */
type Accepted = { count: number; seconds: number };

/** Repeats until the first 429. */
export async function countUntilRefused(
  send: () => Promise<{ status: number }>,
  most = 50,
): Promise<Accepted> {
  const began = performance.now();
  for (let count = 0; count < most; count += 1)
    if ((await send()).status === 429) return { count, seconds: (performance.now() - began) / 1000 };
  throw new Error(`${most} requests were let through.`);
}

/** Asserts that the whole limit was accepted, and no more than came back while the requests ran. */
export function expectAbout({ count, seconds }: Accepted, limit: number, { perMinute = limit } = {}) {
  expect(count).toBeGreaterThanOrEqual(limit);
  expect(count).toBeLessThanOrEqual(limit + 1 + Math.floor((seconds * perMinute) / 60));
}
