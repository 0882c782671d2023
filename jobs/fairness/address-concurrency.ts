/** Requests at once to an address that acknowledged something lately. */
const mostOfKnown = 64;
/** Requests begun within a rest to any other: of endpoints that have shown themselves, and of those on trial. */
const mostOfStranger = 4;
const mostOnTrial = 1;
/** Milliseconds for which a place at a stranger stays taken, whether it hangs or answers at once. */
const rest = 2000;
/** Milliseconds for which an address counts as known after it acknowledged something. */
const knownFor = 600_000;
/** Addresses that are remembered; of those that are idle the oldest go first. */
const mostRemembered = 10_000;

type Seen = { busy: number; knownUntil: number };

function free(seen: Seen): void {
  seen.busy -= 1;
}

/** What a request holds while it is under way. */
export type Place = {
  /** those of the addresses that had one free */
  addresses: readonly string[];
  /** @param by the address that acknowledged it, if one did */
  leave(by: string | null): void;
};

/**
 * Places at the addresses behind all names, whoever gave these: many names may lead to one machine, and a name
 * elsewhere than it did.
 */
export function createAddresses({ restMs = rest } = {}) {
  const addresses = new Map<string, Seen>();
  const waiting = new Set<{ wanted: readonly string[]; tell: (isKnown: boolean) => void }>();

  /** A place at each of these addresses that has one free. */
  function take(wanted: readonly string[], { isTrial = false } = {}): Place {
    const now = performance.now();
    const mostOfUnknown = isTrial ? mostOnTrial : mostOfStranger;
    const found: string[] = [];
    /** Of those found, the ones whose place is left as soon as the request is. */
    const known: Seen[] = [];
    for (const address of wanted) {
      const seen = addresses.get(address) ?? { busy: 0, knownUntil: 0 };
      const isKnown = seen.knownUntil > now;
      if (seen.busy >= (isKnown ? mostOfKnown : mostOfUnknown) || found.includes(address)) continue;
      found.push(address);
      seen.busy += 1;
      if (seen.busy === 1) addresses.set(address, seen);
      if (isKnown) known.push(seen);
      else setTimeout(free, restMs, seen).unref();
    }
    if (addresses.size > mostRemembered) forgetOldest();
    return {
      addresses: found,
      leave: (by) => {
        for (const seen of known) free(seen);
        if (by !== null && found.includes(by)) note(by);
      },
    };
  }

  function note(acknowledged: string): void {
    const seen = addresses.get(acknowledged);
    if (seen) seen.knownUntil = performance.now() + knownFor;
    for (const one of waiting) if (one.wanted.includes(acknowledged)) one.tell(true);
  }

  /** Waits until one of these addresses is known, up to so many milliseconds. Returns whether one is. */
  function becomeKnown(wanted: readonly string[], within: number): Promise<boolean> {
    const now = performance.now();
    if (wanted.some((address) => (addresses.get(address)?.knownUntil ?? 0) > now))
      return Promise.resolve(true);
    return new Promise((resolve) => {
      const one = {
        wanted,
        tell: (isKnown: boolean) => {
          clearTimeout(timer);
          waiting.delete(one);
          resolve(isKnown);
        },
      };
      const timer = setTimeout(() => one.tell(false), within);
      waiting.add(one);
    });
  }

  function forgetOldest(): void {
    for (const [address, { busy }] of addresses) {
      if (addresses.size <= mostRemembered) return;
      if (busy === 0) addresses.delete(address);
    }
  }

  return { take, becomeKnown };
}
