import { expect, test } from "vitest";
import { indexStateOf } from "../../../api/chain/watched-chains.ts";

test("an index that lacks events is incomplete, whatever a worker saw last, unless it left the chain", () => {
  const lack = { reason: "It lacks an event." };
  const incomplete = { indexState: "incomplete", reason: lack.reason };
  const behind = { indexState: "behind", reason: "It stands still." } as const;
  const gone = { indexState: "off_chain", reason: "Block 7 left." } as const;
  expect([null, behind, gone].map((watched) => indexStateOf(watched, lack))).toEqual([
    incomplete,
    incomplete,
    gone,
  ]);
  expect([null, behind, gone].map((watched) => indexStateOf(watched, undefined))).toEqual([
    null,
    behind,
    gone,
  ]);
});
