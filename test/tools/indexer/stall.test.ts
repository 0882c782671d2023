import { expect, test } from "vitest";
import { type ChainProgress, createStallDetector } from "../../../tools/indexer/stall.ts";

type Sample = ChainProgress & { answers: boolean; isReady: boolean };
const starting: Sample = { answers: false, isReady: true, position: "", isAtHead: false };
const catchingUp: Sample = { answers: true, isReady: false, position: "1 of 9", isAtHead: false };
const behind: Sample = { answers: true, isReady: true, position: "5", isAtHead: false };

/** A detector with the limits 15 and 60, and a clock that each sample advances. A sample is of one chain, beside others. */
function detector(beside: readonly ChainProgress[] = []) {
  let time = 0;
  const isStalled = createStallDetector({ following: 15, catchingUp: 60 }, () => time);
  return (sample: Partial<Sample>, after = 5, of = behind) => {
    time += after;
    const { answers, isReady, ...chain } = { ...of, ...sample };
    return isStalled({ answers, isReady, chains: new Map([chain, ...beside].entries()) });
  };
}

test("an indexer that has all blocks, or progresses, is not stalled", () => {
  const isStalled = detector();
  for (let block = 0; block < 9; block += 1) expect(isStalled({ position: `${block}` }, 14)).toBe(false);
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

test("a chain without progress is stalled, although another's node is dead, or another progresses", () => {
  const busy = { position: "", isAtHead: false };
  for (const other of [{ position: "9", isAtHead: null }, { position: "9", isAtHead: true }, busy]) {
    const isStalled = detector([other]);
    const judged = [1, 2, 3, 4, 5].map((round) => {
      busy.position = String(round);
      return isStalled({});
    });
    expect(judged).toEqual([false, false, false, false, true]);
  }
});

test("an indexer that starts has more time, whatever the previous run left in the database", () => {
  const isStalled = detector();
  expect(isStalled({}, 50, starting)).toBe(false);
  expect(isStalled({}, 50, catchingUp)).toBe(false);
  expect(isStalled({ position: "2 of 9" }, 50, catchingUp)).toBe(false);
  expect(isStalled({ position: "2 of 9" }, 50, catchingUp)).toBe(false);
  expect(isStalled({ position: "2 of 9" }, 15, catchingUp)).toBe(true);
});
