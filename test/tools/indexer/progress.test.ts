import { expect, test } from "vitest";
import { createStallDetector, type ProgressSample } from "../../../tools/indexer/progress.ts";

const starting: ProgressSample = { answers: false, isReady: true, position: "", isAtHead: false };
const catchingUp: ProgressSample = { answers: true, isReady: false, position: "1 of 9", isAtHead: false };
const behind: ProgressSample = { answers: true, isReady: true, position: "31337,5", isAtHead: false };

/** A detector with the limits 15 and 60, and a clock that each sample advances. */
function detector() {
  let time = 0;
  const isStalled = createStallDetector({ following: 15, catchingUp: 60 }, () => time);
  return (sample: Partial<ProgressSample>, after = 5, of = behind) => {
    time += after;
    return isStalled({ ...of, ...sample });
  };
}

test("an indexer that has all blocks, or progresses, is not stalled", () => {
  const isStalled = detector();
  for (let block = 0; block < 9; block += 1)
    expect(isStalled({ position: `31337,${block}` }, 14)).toBe(false);
  for (let count = 0; count < 9; count += 1) expect(isStalled({ isAtHead: true }, 14)).toBe(false);
});

test("an indexer that is behind without progress is stalled, and so is one that does not answer", () => {
  for (const sample of [{}, { answers: false, isAtHead: true }]) {
    const isStalled = detector();
    expect(isStalled({ isAtHead: true })).toBe(false);
    expect([isStalled(sample), isStalled(sample), isStalled(sample), isStalled(sample)]).toEqual([
      false,
      false,
      false,
      true,
    ]);
  }
});

test("an indexer that waits for the database or a node is not stalled", () => {
  const isStalled = detector();
  for (let count = 0; count < 20; count += 1) expect(isStalled({ isAtHead: null })).toBe(false);
});

test("an indexer that starts has more time, whatever the previous run left in the database", () => {
  const isStalled = detector();
  expect(isStalled({}, 50, starting)).toBe(false);
  expect(isStalled({}, 50, catchingUp)).toBe(false);
  expect(isStalled({ position: "2 of 9" }, 50, catchingUp)).toBe(false);
  expect(isStalled({ position: "2 of 9" }, 50, catchingUp)).toBe(false);
  expect(isStalled({ position: "2 of 9" }, 15, catchingUp)).toBe(true);
});
