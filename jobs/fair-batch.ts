import { setTimeout as sleep } from "node:timers/promises";
import { type SQL, sql } from "drizzle-orm";
import { sharesOf } from "../trade/totals/shares.ts";
import { createUnderWay } from "./in-flight.ts";

/** What is due: its id, and what it has in common with others, one key for each bound. */
export type Due = { id: string; keys: readonly string[] };

type DueWork<Taken> = {
  /** what is due, the longest first; without what has a key that is full */
  find(full: readonly (readonly string[])[]): Promise<readonly Due[]>;
  /** takes these for as long as the work on one lasts at most, so that another task that still runs takes others */
  take(ids: readonly string[]): Promise<readonly (Taken & { id: string })[]>;
  act(taken: Taken): Promise<void>;
  /** what to do with an error of `act` */
  failed(error: unknown, taken: Taken): void;
  mostAtOnce: number;
  /** the most at once of each key */
  mostOfKeys: readonly number[];
  /** milliseconds for which a place stays taken at least */
  rest?: number;
  signal?: AbortSignal | undefined;
};

/**
 * The keys that bound the work caused by strangers, all of it and by network, as a value of a statement: see `mostOfShares`.
 * Work caused by a party of funded orders has keys of its own, which are never full.
 */
export const selectShareKeys = (of: { id: SQL; network: SQL; isParty: SQL }): SQL => sql`
  case when ${of.isParty} then array[${of.id}, ${of.id}]
    else array['strangers', coalesce('network ' || ${of.network}, ${of.id})] end`;

/** The most at once of each of these keys, where so many are worked on at once in all. */
export function mostOfShares(mostAtOnce: number): readonly number[] {
  const { ofKind, ofNetwork } = sharesOf(mostAtOnce, false);
  return [ofKind, ofNetwork];
}

/** Milliseconds between two looks while something is under way. */
const every = 1000;

/** Works on what is due until nothing is, many at once and few of each key. */
export async function workOnDue<Taken>(work: DueWork<Taken>): Promise<void> {
  const { find, take, act, failed, mostAtOnce, mostOfKeys, rest = 0, signal } = work;
  const underWay = createUnderWay<{ taken: Taken; keys: readonly string[] }>(
    async ({ taken }) => {
      const rested = sleep(rest);
      await act(taken).finally(() => rested);
    },
    { failed: (error, { taken }) => failed(error, taken) },
  );

  try {
    while (!signal?.aborted) {
      const busy = underWay.pieces().map(({ keys }) => keys);
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
      for (const each of taken) underWay.begin({ taken: each, keys: chosen.get(each.id) ?? [] });
      if (underWay.pieces().length === 0) return;
      // What became full is left out of the next look, which finds what waits behind it.
      if (taken.length > 0) continue;
      await Promise.race([underWay.ended(), sleep(every)]);
    }
  } finally {
    await underWay.ended();
  }
}
