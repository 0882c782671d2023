import { setTimeout as sleep } from "node:timers/promises";

/** What is due: its id, and what it has in common with others, one key for each bound. */
export type Due = { id: string; keys: readonly string[] };

type DueWork<Taken> = {
  /** what is due, the longest first; without what has a key that is full */
  find(full: readonly (readonly string[])[]): Promise<readonly Due[]>;
  /** takes these for as long as the work on one lasts at most, so that another task that still runs takes others */
  take(ids: readonly string[]): Promise<readonly (Taken & { id: string })[]>;
  /** never rejects */
  act(taken: Taken): Promise<void>;
  mostAtOnce: number;
  /** the most at once of each key */
  mostOfKeys: readonly number[];
  /** milliseconds for which a place stays taken at least */
  rest?: number;
  signal?: AbortSignal | undefined;
};

/** Milliseconds between two looks while something is under way. */
const every = 1000;

/** Works on what is due until nothing is, many at once and few of each key. */
export async function workOnDue<Taken>(work: DueWork<Taken>): Promise<void> {
  const { find, take, act, mostAtOnce, mostOfKeys, rest = 0, signal } = work;
  const underWay = new Set<Promise<void>>();
  const busy = mostOfKeys.map(() => new Map<string, number>());
  const count = (keys: readonly string[], change: number) => {
    for (const [place, key] of keys.entries()) busy[place]?.set(key, (busy[place].get(key) ?? 0) + change);
  };
  const isFull = (key: string, place: number) => (busy[place]?.get(key) ?? 0) >= (mostOfKeys[place] ?? 0);

  function begin(taken: Taken, keys: readonly string[]): void {
    const part = Promise.all([act(taken), sleep(rest)]).then(() => {
      count(keys, -1);
      underWay.delete(part);
    });
    underWay.add(part);
  }

  try {
    while (!signal?.aborted) {
      const full = busy.map((counts, place) => [...counts.keys()].filter((key) => isFull(key, place)));
      const chosen = new Map<string, readonly string[]>();
      for (const { id, keys } of await find(full)) {
        if (underWay.size + chosen.size >= mostAtOnce) break;
        if (keys.some(isFull)) continue;
        chosen.set(id, keys);
        count(keys, 1);
      }
      const taken = chosen.size > 0 ? await take([...chosen.keys()]) : [];
      for (const one of taken) {
        begin(one, chosen.get(one.id) ?? []);
        chosen.delete(one.id);
      }
      for (const keys of chosen.values()) count(keys, -1);
      if (underWay.size === 0) return;
      await Promise.race([Promise.all(underWay), sleep(every)]);
    }
  } finally {
    await Promise.all(underWay);
  }
}
