import fc from "fast-check";
import { expect, test } from "vitest";
import { readRanges } from "../../../../tools/simulation/checker/reading.ts";

test("the ranges of a long chain have each block once, in order, and no more than 500 in a request", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(3000), fc.nat(3000), async (from, blocks) => {
      const to = from + blocks;
      const read = await readRanges(BigInt(from), BigInt(to), async ({ fromBlock, toBlock }) => {
        const [first, last] = [Number(fromBlock), Number(toBlock)];
        expect(last - first).toBeLessThan(500);
        return Array.from({ length: last - first + 1 }, (_, at) => first + at);
      });
      expect(read).toEqual(Array.from({ length: blocks + 1 }, (_, at) => from + at));
    }),
  );
});
