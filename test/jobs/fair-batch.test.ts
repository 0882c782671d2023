import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { runFairBatch } from "../../jobs/fair-batch.ts";

test("many due tasks of one key delay no other task", async () => {
  const all = [
    ...Array.from({ length: 20 }, (_, at) => ({ id: `crowd ${at}`, keys: ["crowd"] })),
    { id: "other", keys: ["other"] },
  ];
  const done = new Set<string>();
  const begun: string[] = [];
  const stop = new AbortController();
  await runFairBatch<{ id: string }>({
    // The batch is smaller than the number of the first key's tasks.
    find: async ([full = []]) =>
      all.filter(({ id, keys }) => !done.has(id) && !keys.some((key) => full.includes(key))).slice(0, 5),
    take: async (ids) => {
      for (const id of ids) done.add(id);
      return ids.map((id) => ({ id }));
    },
    act: async ({ id }) => {
      begun.push(id);
      if (id === "other") stop.abort();
      await sleep(10);
    },
    failed: (error) => {
      throw error;
    },
    mostAtOnce: 100,
    mostOfKeys: [2],
    minHoldMs: 100,
    signal: AbortSignal.any([stop.signal, AbortSignal.timeout(3000)]),
  });
  expect(begun.indexOf("other")).toBe(2);
});
