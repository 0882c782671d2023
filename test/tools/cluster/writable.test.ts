import { expect, test } from "vitest";
import { type Acknowledged, findSecondPrimaries } from "../../../tools/cluster/writable.ts";

const write = (node: string, timeline: number, began: number, ended: number): Acknowledged => ({
  node,
  timeline,
  began,
  ended,
  number: began,
});

test("writes on a later timeline after those on an earlier one have one primary", () => {
  const writes = [write("a", 1, 0, 1), write("a", 1, 2, 3), write("b", 2, 5, 6), write("a", 3, 8, 9)];
  expect(findSecondPrimaries(writes)).toEqual([]);
  expect(findSecondPrimaries([])).toEqual([]);
});

test("a write that was under way while another node took over is no second primary", () => {
  expect(findSecondPrimaries([write("a", 1, 0, 10), write("b", 2, 5, 6)])).toEqual([]);
});

test("a write on an earlier timeline after one on a later timeline shows a second primary", () => {
  const writes = [write("a", 1, 0, 1), write("b", 2, 5, 6), write("a", 1, 7, 8), write("b", 2, 9, 10)];
  expect(findSecondPrimaries(writes)).toEqual(["a took a write on timeline 1 after b on timeline 2"]);
});
