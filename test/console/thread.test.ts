import { expect, test } from "vitest";
import { threadOf } from "../../console/src/messages/thread.ts";

const at = (second: number) => new Date(Date.UTC(2026, 10, 30) + second * 1000).toISOString();
const step = (
  type: "order.created" | "order.funded" | "order.started" | "dispute.statement",
  second: number,
) => ({
  type,
  occurred_at: at(second),
});
const message = (text: string, second: number) => ({ text, created_at: at(second) });
const shown = (...args: Parameters<typeof threadOf<ReturnType<typeof message>, ReturnType<typeof step>>>) =>
  threadOf(...args).map((item) => ("text" in item ? item.text : item.type));

test("a thread has the steps in the order of the trail, although the time of a block is earlier than that of the step before", () => {
  const trail = [step("order.created", 1.5), step("order.funded", 1), step("order.started", 3)];
  expect(shown([message("good", 4), message("hello", 1)], trail)).toEqual([
    ...["hello", "order.created", "order.funded", "order.started", "good"],
  ]);
});

test("a thread leaves out the steps before the oldest message, and statements in a dispute", () => {
  const trail = [step("order.created", 1), step("order.started", 3), step("dispute.statement", 5)];
  expect(shown([message("second", 4), message("first", 2)], trail)).toEqual([
    ...["first", "order.started", "second"],
  ]);
  expect(shown([], trail)).toEqual([]);
});
