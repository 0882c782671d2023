import type { Claim } from "./claim.ts";

/** What is held for one endpoint. */
export type Lane = {
  id: string;
  host: string;
  accountId: string;
  /** what is under way at its host, and there for its account; of both, what lanes have that go carefully */
  ofHost: UnderWay;
  ofAccount: UnderWay;
  /** one that lately made us wait, or was never heard to acknowledge, has one at a time; set by `goCarefully` alone */
  isCareful: boolean;
  /** counted by `begin` and `end` alone */
  sending: number;
  queue: Claim[];
  /** how many may be held: more of a quick receiver, so that the next are at hand */
  most: number;
  hasMore: boolean;
};

type UnderWay = { sending: number; careful: number };

/** Deliveries sent at once to an endpoint. */
export const atOnce = 4;
/** Deliveries sent at once to a host, and of them those of lanes that go carefully; of both, those of one account. */
const mostOfHost = 32;
const mostOfAccount = 8;
const mostCareful = 8;
const mostCarefulOfAccount = 2;

/** The lanes of one process, and whose turn it is at each host. */
export function createLanes() {
  const lanes = new Map<string, Lane>();
  const hosts = new Map<string, { lanes: Set<Lane>; sending: UnderWay }>();

  /** Notes that so many more are under way. */
  function count(lane: Lane, more: number): void {
    lane.sending += more;
    for (const sum of [lane.ofHost, lane.ofAccount]) {
      sum.sending += more;
      if (lane.isCareful) sum.careful += more;
    }
  }

  return {
    get: (id: string) => lanes.get(id),
    all: () => lanes.values(),
    open({ endpoint }: Claim): Lane {
      const { id, host, accountId } = endpoint;
      const known = lanes.get(id);
      if (known) return known;
      const place = hosts.get(host) ?? { lanes: new Set(), sending: { sending: 0, careful: 0 } };
      const other = [...place.lanes].find((lane) => lane.accountId === accountId);
      const lane = {
        id,
        host,
        accountId,
        ofHost: place.sending,
        ofAccount: other?.ofAccount ?? { sending: 0, careful: 0 },
        isCareful: false,
        sending: 0,
        queue: [],
        most: atOnce,
        hasMore: false,
      };
      lanes.set(id, lane);
      place.lanes.add(lane);
      hosts.set(host, place);
      return lane;
    },
    begin: (lane: Lane) => count(lane, 1),
    end: (lane: Lane) => count(lane, -1),
    goCarefully(lane: Lane, isCareful: boolean): void {
      if (lane.isCareful === isCareful) return;
      const { sending } = lane;
      count(lane, -sending);
      lane.isCareful = isCareful;
      count(lane, sending);
    },
    /** Forgets a lane with nothing in it and nothing to come: until then it is known how quick it is. */
    tidy(lane: Lane): void {
      if (lane.hasMore || lane.sending > 0 || lane.queue.length > 0) return;
      lanes.delete(lane.id);
      const place = hosts.get(lane.host);
      place?.lanes.delete(lane);
      if (place?.lanes.size === 0) hosts.delete(lane.host);
    },
    countByAccount(): Map<string, number> {
      const counts = new Map<string, number>();
      for (const { accountId } of lanes.values()) counts.set(accountId, (counts.get(accountId) ?? 0) + 1);
      return counts;
    },
    /** What is held for each host, and for each account at one (`<host> <account>`), sent or not. */
    heldByHost(): Map<string, number> {
      const counts = new Map<string, number>();
      for (const lane of lanes.values()) {
        for (const name of [lane.host, `${lane.host} ${lane.accountId}`]) {
          counts.set(name, (counts.get(name) ?? 0) + heldIn(lane));
        }
      }
      return counts;
    },
    /** Whose turn it is at a host that has room: the account with the fewest under way there, and its idlest endpoint. */
    next(host: string): Lane | null {
      const place = hosts.get(host);
      if (!place || place.sending.sending >= mostOfHost) return null;
      let best: Lane | null = null;
      let least = Number.POSITIVE_INFINITY;
      for (const lane of place.lanes) {
        const { ofAccount } = lane;
        if (lane.queue.length === 0 || ofAccount.sending >= mostOfAccount) continue;
        const isCrowded = place.sending.careful >= mostCareful || ofAccount.careful >= mostCarefulOfAccount;
        if (lane.isCareful ? lane.sending >= 1 || isCrowded : lane.sending >= atOnce) continue;
        const busy = ofAccount.sending * 1000 + lane.sending;
        if (busy < least) [best, least] = [lane, busy];
      }
      return best;
    },
  };
}

export function heldIn({ sending, queue }: Lane): number {
  return sending + queue.length;
}
