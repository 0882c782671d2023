import { LRUCache } from "lru-cache";

/** The most keys in memory. The least recently used key is evicted first. */
const maxKeys = 20_000;

/** Milliseconds that one key may use at once, and milliseconds that it regains each second. */
export type Allowance = { burst: number; perSecond: number };

/** Counts the milliseconds that each key has used (a leaky bucket). */
export function createTimeBudget({ burst, perSecond }: Allowance) {
  const levels = new LRUCache<string, { level: number; at: number }>({ max: maxKeys });

  function used(key: string): number {
    const bucket = levels.get(key);
    if (!bucket) return 0;
    return Math.max(0, bucket.level - ((performance.now() - bucket.at) * perSecond) / 1000);
  }

  return {
    used,
    charge(key: string, milliseconds: number): void {
      const level = used(key) + milliseconds;
      levels.set(key, { level, at: performance.now() });
    },
    /** Returns whole seconds until the key may use more; 0 if it may now. */
    refusedFor(key: string): number {
      return Math.max(0, Math.ceil((used(key) - burst) / perSecond));
    },
  };
}
