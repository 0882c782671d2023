import { expect, test } from "vitest";
import { createProgressWatch, type Sight } from "../../../tools/indexer/progress.ts";

const starting: Sight = { answers: false, isReady: true, position: "", isAtHead: false };
const catchingUp: Sight = { answers: true, isReady: false, position: "1 of 9", isAtHead: false };
const behind: Sight = { answers: true, isReady: true, position: "31337,5", isAtHead: false };

/** A watch with the patience 15 and 60, and a clock that each check moves by this much. */
function watching() {
  let time = 0;
  const see = createProgressWatch({ following: 15, catchingUp: 60 }, () => time);
  return (sight: Partial<Sight>, after = 5, of = behind) => {
    time += after;
    return see({ ...of, ...sight });
  };
}

test("an indexer that has all blocks, or progresses, is not stalled", () => {
  const see = watching();
  for (let block = 0; block < 9; block += 1) expect(see({ position: `31337,${block}` }, 14)).toBe(false);
  for (let times = 0; times < 9; times += 1) expect(see({ isAtHead: true }, 14)).toBe(false);
});

test("an indexer that is behind without progress is stalled, and so is one that does not answer", () => {
  for (const sight of [{}, { answers: false, isAtHead: true }]) {
    const see = watching();
    expect(see({ isAtHead: true })).toBe(false);
    expect([see(sight), see(sight), see(sight), see(sight)]).toEqual([false, false, false, true]);
  }
});

test("an indexer that waits for the database or a node is not stalled", () => {
  const see = watching();
  for (let times = 0; times < 20; times += 1) expect(see({ isAtHead: null })).toBe(false);
});

test("an indexer that starts has more time, whatever the previous run left in the database", () => {
  const see = watching();
  expect(see({}, 50, starting)).toBe(false);
  expect(see({}, 50, catchingUp)).toBe(false);
  expect(see({ position: "2 of 9" }, 50, catchingUp)).toBe(false);
  expect(see({ position: "2 of 9" }, 50, catchingUp)).toBe(false);
  expect(see({ position: "2 of 9" }, 15, catchingUp)).toBe(true);
});
