import { setTimeout as sleep } from "node:timers/promises";
import { type SQL, sql } from "../db/drizzle.ts";
import { sharesOf } from "../trade/fair-shares/capacity-shares.ts";
import { createInFlight } from "./in-flight.ts";

/** A due item: its id, and the keys that it shares with other items, one for each limit. */
export type Due = { id: string; keys: readonly string[] };

type FairBatch<Taken> = {
  /** Finds due items, the longest due first, without those that have a full key. */
  find(full: readonly (readonly string[])[]): Promise<readonly Due[]>;
  /** Takes the items for the longest time that one needs, so that a parallel task takes others. */
  take(ids: readonly string[]): Promise<readonly (Taken & { id: string })[]>;
  act(taken: Taken): Promise<void>;
  /** Handles an error of `act`. */
  failed(error: unknown, taken: Taken): void;
  mostAtOnce: number;
  /** the most items of each key at once */
  mostOfKeys: readonly number[];
  /** the fewest milliseconds that an item keeps its slot */
  minHoldMs?: number;
  signal?: AbortSignal | undefined;
};

/**
 * Returns SQL for the keys that limit work caused by unproven accounts, in all and by network: see `mostOfShares`. Work
 * caused by a party of funded orders has keys of its own, which are never full.
 */
export const selectShareKeys = (of: { id: SQL; network: SQL; isParty: SQL }): SQL => sql`
  case when ${of.isParty} then array[${of.id}, ${of.id}]
    else array['unproven', coalesce('network ' || ${of.network}, ${of.id})] end`;

/** Returns the most items of each of these keys, out of `mostAtOnce` in all. */
export function mostOfShares(mostAtOnce: number): readonly number[] {
  const { ofKind, ofNetwork } = sharesOf(mostAtOnce, false);
  return [ofKind, ofNetwork];
}

/** Milliseconds between two checks while items are in flight. */
const checkEvery = 1000;

/** Works on due items until none is left, many at once and few of each key. */
export async function runFairBatch<Taken>(work: FairBatch<Taken>): Promise<void> {
  const { find, take, act, failed, mostAtOnce, mostOfKeys, minHoldMs = 0, signal } = work;
  const inFlight = createInFlight<{ taken: Taken; keys: readonly string[] }>(
    async ({ taken }) => {
      const heldLongEnough = sleep(minHoldMs);
      await act(taken).finally(() => heldLongEnough);
    },
    { failed: (error, { taken }) => failed(error, taken) },
  );

  try {
    while (!signal?.aborted) {
      const busy = inFlight.items().map(({ keys }) => keys);
      const isFull = (key: string, place: number) =>
        busy.filter((keys) => keys[place] === key).length >= (mostOfKeys[place] ?? 0);
      const full = mostOfKeys.map((_, place) =>
        [...new Set(busy.flatMap((keys) => keys[place] ?? []))].filter((key) => isFull(key, place)),
      );
      const chosen = new Map<string, readonly string[]>();
      for (const { id, keys } of await find(full)) {
        if (busy.length >= mostAtOnce) break;
        if (keys.some(isFull)) continue;
        chosen.set(id, keys);
        busy.push(keys);
      }
      const taken = chosen.size > 0 ? await take([...chosen.keys()]) : [];
      for (const each of taken) inFlight.begin({ taken: each, keys: chosen.get(each.id) ?? [] });
      if (inFlight.items().length === 0) return;
      // The next search excludes the keys that became full, and so finds the items behind them.
      if (taken.length > 0) continue;
      await Promise.race([inFlight.ended(), sleep(checkEvery)]);
    }
  } finally {
    await inFlight.ended();
  }
}
