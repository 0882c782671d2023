import { expect, test } from "vitest";
import { readRetryAfter } from "../../../jobs/fairness/retry-after.ts";
import { delayAfter, mostAttempts } from "../../../jobs/webhooks/retry-schedule.ts";

const schedule = [5, 25, 125, 625, 3125, 15_625, 78_125, 86_400, 86_400].map((seconds) => seconds * 1000);

test("ten attempts take 75 hours, each delay five times the one before until it is a day", () => {
  expect(mostAttempts).toBe(10);
  expect(schedule.map((_, index) => delayAfter(index + 1, null, 0.5))).toEqual(schedule);
  expect(Math.floor(schedule.reduce((sum, delay) => sum + delay) / 3_600_000)).toBe(75);
  expect(delayAfter(10, null, 0.5)).toBeNull();
  expect(delayAfter(10, 60_000, 0.5)).toBeNull();
});

test("a delay is moved by a fifth of itself at most, either way, and evenly", () => {
  for (const [index, delay] of schedule.entries()) {
    expect(delayAfter(index + 1, null, 0)).toBe(Math.round(0.8 * delay));
    expect(delayAfter(index + 1, null, 0.25)).toBe(Math.round(0.9 * delay));
    expect(delayAfter(index + 1, null, 1 - Number.EPSILON)).toBe(Math.round(1.2 * delay));
  }
});

test("a receiver's Retry-After is granted between the schedule's delay and twice that", () => {
  for (const [index, delay] of schedule.entries()) {
    expect(delayAfter(index + 1, 0, 0.9)).toBe(delay);
    expect(delayAfter(index + 1, 1.5 * delay, 0.1)).toBe(1.5 * delay);
    expect(delayAfter(index + 1, 100 * delay, 0.9)).toBe(2 * delay);
  }
});

test("Retry-After is read as seconds or as a date, and ignored where it is neither", () => {
  const now = Date.parse("2026-11-21T12:00:00Z");
  expect(readRetryAfter("120", now)).toBe(120_000);
  expect(readRetryAfter(" 0 ", now)).toBe(0);
  expect(readRetryAfter("Sat, 21 Nov 2026 12:01:30 GMT", now)).toBe(90_000);
  expect(readRetryAfter("Saturday, 21-Nov-26 12:01:30 GMT", now)).toBe(90_000);
  // A past date requests no delay.
  expect(readRetryAfter("Sat, 21 Nov 2026 11:00:00 GMT", now)).toBe(0);
  for (const header of [
    undefined,
    "",
    "soon",
    "-5",
    "1.5",
    "1e9",
    "9999999999999",
    "2026-11-21",
    "Infinity",
  ]) {
    expect(readRetryAfter(header, now)).toBeNull();
  }
});
