import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import { expect, test } from "vitest";
import { outcomesRootOf } from "../../../protocol/reputation/outcomes-root.ts";
import { makeOutcome } from "../../harness/reputation/outcomes.ts";

const [early, late, same] = [
  makeOutcome({ number: 3, day: 1 }),
  makeOutcome({ number: 1, day: 2 }),
  makeOutcome({ number: 2, day: 2 }),
];

test("is the hash of all lines in order of their settlement, which anybody can compute", () => {
  const text = [early, late, same].map(({ unchecked: _, ...line }) => `${canonicalize(line)}\n`).join("");
  const hash = `0x${createHash("sha256").update(text).digest("hex")}`;
  expect(outcomesRootOf([early, late, same])).toBe(hash);
  expect(outcomesRootOf([same, late, early])).toBe(hash);
});

test("is the same whether an empty check of the buyer's money was made or not", () => {
  expect(outcomesRootOf([{ ...early, unchecked: !early.unchecked }])).toBe(outcomesRootOf([early]));
});

test("changes with any line, and with one more or one less", () => {
  const lists = [
    [],
    [early],
    [early, late],
    [early, late, same],
    [{ ...early, apart: "same_party" as const }],
  ];
  expect(new Set(lists.map(outcomesRootOf)).size).toBe(lists.length);
});
