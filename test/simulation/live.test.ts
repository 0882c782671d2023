import { expect, test } from "vitest";
import { courseOfFaults } from "../../simulation/live/faults.ts";
import { simulateLive } from "../../simulation/live/simulation.ts";

const seed = 7;

test("a seed lives on real processes to which everything happens, and the checker has nothing to say", async () => {
  const said: string[] = [];
  const size = { orders: 6, faults: 9, over: 9000 };
  const result = await simulateLive(seed, {
    ...size,
    course: courseOfFaults(seed, size),
    say: (line) => said.push(line),
  });
  expect(result.wrong, said.join("\n")).toEqual([]);
  expect(result.orders).toBe(6);
  expect(result.deliveries).toBeGreaterThanOrEqual(result.events);
}, 240_000);
