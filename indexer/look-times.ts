/** A head that a look found: its number and its time, in unix seconds, as the node says them. */
export type Found = { number: bigint; timestamp: bigint };

/** How many of the last blocks say what the beat of a chain is, and how many of them have to agree. */
const remembered = 8;
const agreed = 6;
/** How many looks there may be in any time beyond one for each interval, and how many more of a thousand. */
const mostAhead = 20;
const moreOfThousand = 1;
/** Milliseconds by which a timer may be wrong. */
const tolerance = 2;
/** Within how many blocks a second late one says that blocks of this chain come later than was thought. */
const soonAgain = 100;
/** What is left, with each block that is not late, of how late blocks may come. */
const fading = 0.99;

/**
 * When to look for a chain's next block. Most chains make one in a steady beat of whole seconds: looks are moved so that
 * one falls just after the next block is due.
 *
 * No pause is longer than the interval. In any time there are no more looks than one for each interval, but for a fixed
 * few and one of a thousand. Where blocks come irregularly, there is one at each interval.
 *
 * Times are milliseconds of one clock. A block that is found is one that came after the look before.
 *
 * @param interval the longest pause between the beginnings of two looks
 */
export function createLookTimes(interval: number) {
  /** when the last look began, and the one before it */
  let last = -Infinity;
  let before = -Infinity;
  /** looks beyond one for each interval */
  let ahead = 0;
  let newest: Found | undefined;
  /** seconds that each of the last blocks took */
  let lengths: number[] = [];
  /** The newest block came after `early` and not after `late`. */
  let early = 0;
  let late = 0;
  /** by how much blocks of this chain come late */
  const narrowest = interval / 10;
  let margin = narrowest;
  /** by how much sooner a block may come than the one before it did */
  const leastDoubt = interval / 2000;
  let doubt = leastDoubt;
  /** blocks since the last late one */
  let steady = soonAgain;

  const isSparing = () => ahead > mostAhead / 2;

  /** Is told that a look begins. */
  function look(now: number): void {
    ahead = Math.max(0, ahead - ((1 + moreOfThousand / 1000) * (now - last)) / interval) + 1;
    before = last;
    last = now;
  }

  /** Is told that the look that began last found a new head. */
  function find(head: Found): void {
    const beat = readBeat();
    const blocks = newest ? Number(head.number - newest.number) : 0;
    const seconds = newest ? Number(head.timestamp - newest.timestamp) : 0;
    newest = head;
    lengths = blocks > 0 ? [...lengths, seconds / blocks].slice(-remembered) : [];
    const beats = beat ? Math.round((last - late) / beat) : 0;
    if (!beat || beats < 1 || last - before > 2 * interval) [early, late] = [before, last];
    else narrow(early + beats * beat - (isSparing() ? 0 : doubt), late + beats * beat);
  }

  /** @param from since when, and until when the block was expected */
  function narrow(from: number, until: number): void {
    steady += 1;
    if (before >= until) {
      if (steady < soonAgain) margin = Math.min(2 * margin, interval / 2);
      steady = 0;
      [early, late] = [before, Math.min(last, before + margin / 2)];
    } else if (last <= from) {
      [early, late] = [before, last];
    } else {
      // Where looking sooner proved right, it is tried again at once, so that looks follow a beat that drifts.
      if (last < until - tolerance) doubt = Math.min(2 * doubt, narrowest);
      else if (before > from) doubt = leastDoubt;
      [early, late] = [Math.max(from, before), Math.min(until, last)];
    }
    if (steady > 0 && !isSparing()) margin = Math.max(fading * margin, narrowest);
  }

  /** Milliseconds from one block to the next; undefined where they are not steady, or looking by them would be looking more. */
  function readBeat(): number | undefined {
    const length = [...lengths].sort((a, b) => a - b)[remembered / 2];
    if (!length || !Number.isInteger(length)) return undefined;
    if (lengths.filter((each) => each === length).length < agreed) return undefined;
    const beat = 1000 * length;
    return Math.ceil(beat / interval) * interval <= 1.01 * beat ? beat : undefined;
  }

  /** Says when the next look is to begin. */
  function next(): number {
    const usual = last + interval;
    const beat = readBeat();
    if (!beat) return usual;
    // While it is known only roughly when blocks come, the middle tells most. One that is not there is looked for soon after.
    const isRough = late - early > margin + tolerance;
    const usualTime = late + margin / 2;
    const best = isRough ? [(early + late) / 2, late + margin] : [usualTime, late + 2 * margin];
    const passed = Math.max(1, Math.floor((last - early) / beat));
    const target = [passed, passed + 1]
      .flatMap((beats) => (isSparing() ? [usualTime] : best).map((each) => each + beats * beat))
      .find((each) => each > last + tolerance);
    if (target === undefined) return usual;
    const distance = target - last;
    const looks = Math.max(1, Math.ceil((distance - tolerance) / interval));
    // Where none may be added, timers, which are late, bring looks there by and by.
    if (ahead > mostAhead && (isRough || looks > distance / interval + 0.05)) return usual;
    return last + Math.min(distance / looks, interval);
  }

  return { look, find, next };
}
