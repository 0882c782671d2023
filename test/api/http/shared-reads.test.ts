import { expect, test } from "vitest";
import { shareReads } from "../../../api/http/shared-reads.ts";

test("a failed read is shared by nobody, and a good one for its time alone", async () => {
  let reads = 0;
  const read = shareReads(async () => {
    reads += 1;
    if (reads === 1) throw new Error("The database is away.");
    return reads;
  }, 50);
  await expect(read()).rejects.toThrow("away");
  expect([await read(), await read()]).toEqual([2, 2]);
  await new Promise((resolve) => setTimeout(resolve, 80));
  expect(await read()).toBe(3);
});
