import { expect, test } from "vitest";
import { createTimeSlice } from "../../jobs/time-slice.ts";

test("long work lets others run between its parts", async () => {
  let turns = 0;
  let next: NodeJS.Immediate;
  const takeTurn = () => {
    turns += 1;
    next = setImmediate(takeTurn);
  };
  next = setImmediate(takeTurn);
  const breathe = createTimeSlice();
  for (let part = 1; part <= 5; part += 1) {
    const end = performance.now() + 5;
    while (performance.now() < end);
    await breathe();
    expect(turns).toBeGreaterThanOrEqual(part);
  }
  clearImmediate(next);
});
