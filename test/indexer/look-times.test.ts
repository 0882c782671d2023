import { expect, test } from "vitest";
import { createLookTimes } from "../../indexer/look-times.ts";

type Chain = {
  interval: number;
  /** milliseconds between blocks */
  beat: number;
  /** each block comes by up to so many milliseconds later */
  unsteady?: number;
  /** of a thousand blocks so many are left out */
  missing?: number;
};

/** Looks at a chain in a time that nobody waits for. Timers are late by less than half a millisecond. */
function followBlocks({ interval, beat, unsteady = 0, missing = 0 }: Chain, beats: number) {
  let seed = 7;
  const random = () => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  const blocks = Array.from({ length: beats }, (_, at) => ({
    at: 1234.5 + at * beat + random() * unsteady,
    timestamp: BigInt(Math.floor((at * beat) / 1000)),
  })).filter(() => random() * 1000 >= missing);
  const times = createLookTimes(interval);
  const waited: number[] = [];
  const pauses: number[] = [];
  const looks: number[] = [];
  let now = 0;
  for (let found = 0; found < blocks.length; ) {
    times.look(now);
    looks.push(now);
    const there = blocks.findIndex(({ at }, index) => index >= found && at > now);
    const upTo = there < 0 ? blocks.length : there;
    const newest = blocks[upTo - 1];
    if (newest && upTo > found) {
      waited.push(now - newest.at);
      found = upTo;
      times.find({ number: BigInt(found), timestamp: newest.timestamp });
    }
    const next = times.next();
    pauses.push(next - now);
    now = next + random() / 2;
  }
  // The first blocks teach.
  const sorted = waited.slice(20).sort((a, b) => a - b);
  const share = (of: number) => sorted[Math.floor(of * (sorted.length - 1))];
  return { median: share(0.5), most: share(0.95), pauses, looks };
}

test.each<Chain & { median: number; most: number }>([
  { interval: 100, beat: 1000, unsteady: 3, median: 15, most: 20 },
  { interval: 1000, beat: 2000, unsteady: 60, median: 250, most: 300 },
  { interval: 1000, beat: 12_000, unsteady: 300, missing: 10, median: 500, most: 700 },
])(
  "a beat of $beat ms looked at each $interval: looks fall soon after a block is due, and are no more",
  ({ median, most, ...chain }) => {
    const followed = followBlocks(chain, 5000);
    expect(followed.median).toBeLessThan(median);
    expect(followed.most).toBeLessThan(most);
    expect(Math.max(...followed.pauses)).toBeLessThan(chain.interval + 0.001);
  },
);

test.each<Chain>([
  { interval: 100, beat: 1000 },
  { interval: 100, beat: 1000, unsteady: 150, missing: 20 },
  { interval: 1000, beat: 2000, unsteady: 1500 },
  { interval: 100, beat: 1001 },
])(
  "within any time there are only 20 looks and one of a thousand more than one for each interval: %o",
  (chain) => {
    const { looks, pauses } = followBlocks(chain, 1000);
    expect(Math.max(...pauses)).toBeLessThan(chain.interval + 0.001);
    // By how much the looks are ahead of one for each interval, against the least that they ever were before.
    let least = Infinity;
    let furthest = 0;
    for (const [index, at] of looks.entries()) {
      const ahead = index - (1.001 * at) / chain.interval;
      least = Math.min(least, ahead);
      furthest = Math.max(furthest, ahead - least);
    }
    expect(furthest).toBeLessThan(23);
  },
);

test.each<Chain>([
  { interval: 300, beat: 1000 },
  { interval: 1000, beat: 250 },
  { interval: 100, beat: 1500 },
  { interval: 2000, beat: 1000 },
])("a chain whose beat is no whole number of looks or seconds is looked at each interval: %o", (chain) => {
  const { pauses } = followBlocks(chain, 200);
  expect(new Set(pauses.map((pause) => Math.round(pause)))).toEqual(new Set([chain.interval]));
});
