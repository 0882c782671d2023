import type { Claim, Room } from "./claim.ts";
import { atOnce, type createLanes, heldIn } from "./lanes.ts";

/**
 * Deliveries that this process holds at once, of them those to endpoints that are slow or on trial, those of a host, and
 * those of an account at it: of one account more while nobody else has any.
 */
const mostHeld = 1024;
const mostSlowHeld = 128;
const mostOfHost = 768;
const mostOfAccount = 256;
const mostOfOnlyAccount = 512;
/** Deliveries held for an endpoint that answers quickly: what it takes within so many milliseconds, up to a bound. */
const heldForQuick = 512;
const heldAhead = 1000;

/** What may be claimed now. */
export function readRoom(
  lanes: ReturnType<typeof createLanes>,
  { held, slow }: { held: number; slow: readonly string[] },
): Room {
  const heldFor = (id: string) => {
    const lane = lanes.get(id);
    return lane ? heldIn(lane) : 0;
  };
  const lanesOf = lanes.countByAccount();
  const mostOfEach = lanesOf.size === 1 ? mostOfOnlyAccount : mostOfAccount;
  const isSlow = new Set(slow);
  const most = (id: string) => {
    const lane = lanes.get(id);
    if (isSlow.has(id)) return 1;
    if (!lane) return atOnce;
    // An account's lanes share its bound: what does not fit would be looked at in vain, at every claim.
    return Math.min(
      lane.most,
      Math.max(2 * atOnce, Math.floor(mostOfEach / (lanesOf.get(lane.accountId) ?? 1))),
    );
  };
  return {
    slots: mostHeld - held,
    slowSlots: mostSlowHeld - slow.reduce((sum, id) => sum + heldFor(id), 0),
    byEndpoint: new Map(
      [...slow, ...[...lanes.all()].map(({ id }) => id)].map((id) => [id, most(id) - heldFor(id)]),
    ),
    otherwise: atOnce,
    mostOfHost,
    mostOfAccount: mostOfEach,
    heldByHost: lanes.heldByHost(),
    slow,
  };
}

/** Whether a host, or an account at one, was given as much as it may have: it may have more once any of that is sent. */
export function reachesBound(
  { heldByHost, mostOfHost, mostOfAccount }: Room,
  claimed: readonly Claim[],
): boolean {
  const counts = new Map(heldByHost);
  for (const { endpoint } of claimed) {
    for (const name of [endpoint.host, `${endpoint.host} ${endpoint.accountId}`]) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return [...counts].some(([name, count]) => count >= (name.includes(" ") ? mostOfAccount : mostOfHost));
}

/** How many may be held for an endpoint that took so long to answer. */
export function mostAfter(latencyMs: number): number {
  return Math.min(heldForQuick, Math.max(atOnce, Math.floor((atOnce * heldAhead) / (latencyMs + 1))));
}
