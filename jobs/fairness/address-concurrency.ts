/** The most concurrent requests to an address with a recent acknowledgement. */
const mostOfKnown = 64;
/** The most requests to any other address per hold time: of proven endpoints, and of those on trial. */
const mostOfUnproven = 4;
const mostOnTrial = 1;
/** Milliseconds for which a slot at an unproven address stays taken, whether it hangs or answers at once. */
const usualHoldMs = 2000;
/** Milliseconds for which an address counts as proven after an acknowledgement. */
const knownFor = 600_000;
/** The most addresses in memory. The oldest idle ones are dropped. */
const mostRemembered = 10_000;

type Seen = { busy: number; knownUntil: number };

function free(seen: Seen): void {
  seen.busy -= 1;
}

/**
 * Limits concurrent requests to the addresses behind all host names, of all accounts. Many names may lead to one
 * machine, and a name's address may change.
 */
export function createAddresses({ holdMs = usualHoldMs } = {}) {
  const addresses = new Map<string, Seen>();
  const waiting = new Set<{ candidates: readonly string[]; settle: (isKnown: boolean) => void }>();

  /** Returns the slots of one request, which takes none before the addresses of its host are known. */
  function slotsOf({ isTrial }: { isTrial: boolean }) {
    const mostOfUnknown = isTrial ? mostOnTrial : mostOfUnproven;
    const taken: string[] = [];
    /** the taken slots that become free with the end of the request */
    const known: Seen[] = [];
    const slots = {
      candidates: [] as readonly string[],
      /** Takes a slot at each address that has a free one, and returns these addresses. */
      admit(candidates: readonly string[]): readonly string[] {
        slots.candidates = candidates;
        const now = performance.now();
        for (const address of candidates) {
          const seen = addresses.get(address) ?? { busy: 0, knownUntil: 0 };
          const isKnown = seen.knownUntil > now;
          if (seen.busy >= (isKnown ? mostOfKnown : mostOfUnknown) || taken.includes(address)) continue;
          taken.push(address);
          seen.busy += 1;
          if (seen.busy === 1) addresses.set(address, seen);
          if (isKnown) known.push(seen);
          else setTimeout(free, holdMs, seen).unref();
        }
        if (addresses.size > mostRemembered) forgetOldest();
        return taken;
      },
      /** @param by the address that acknowledged the request, if any */
      leave(by: string | null): void {
        for (const seen of known) free(seen);
        if (by !== null && taken.includes(by)) markProven(by);
      },
    };
    return slots;
  }

  function markProven(acknowledged: string): void {
    const seen = addresses.get(acknowledged);
    if (seen) seen.knownUntil = performance.now() + knownFor;
    for (const waiter of waiting) if (waiter.candidates.includes(acknowledged)) waiter.settle(true);
  }

  /** Waits until an address is proven, up to some milliseconds. Returns whether one is. */
  function becomeKnown(candidates: readonly string[], within: number): Promise<boolean> {
    const now = performance.now();
    if (candidates.some((address) => (addresses.get(address)?.knownUntil ?? 0) > now))
      return Promise.resolve(true);
    return new Promise((resolve) => {
      const waiter = {
        candidates,
        settle: (isKnown: boolean) => {
          clearTimeout(timer);
          waiting.delete(waiter);
          resolve(isKnown);
        },
      };
      const timer = setTimeout(() => waiter.settle(false), within);
      waiting.add(waiter);
    });
  }

  function forgetOldest(): void {
    for (const [address, { busy }] of addresses) {
      if (addresses.size <= mostRemembered) return;
      if (busy === 0) addresses.delete(address);
    }
  }

  return { slotsOf, becomeKnown };
}
