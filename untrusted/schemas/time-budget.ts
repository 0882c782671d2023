import { LRUCache } from "lru-cache";

/** How many keys are remembered; the ones used longest ago are forgotten first. */
const maxKeys = 20_000;

/** Milliseconds that one key may use at once, and how many it gets back in a second. */
export type Allowance = { burst: number; perSecond: number };

/** Counts the milliseconds that each key has used; what was used comes back evenly. */
export function createTimeBudget({ burst, perSecond }: Allowance) {
  const levels = new LRUCache<string, { level: number; at: number }>({ max: maxKeys });

  function used(key: string): number {
    const found = levels.get(key);
    if (!found) return 0;
    return Math.max(0, found.level - ((performance.now() - found.at) * perSecond) / 1000);
  }

  return {
    used,
    charge(key: string, milliseconds: number): void {
      const level = used(key) + milliseconds;
      levels.set(key, { level, at: performance.now() });
    },
    /** Whole seconds until the key may use more; 0 where it may now. */
    refusedFor(key: string): number {
      return Math.max(0, Math.ceil((used(key) - burst) / perSecond));
    },
  };
}
