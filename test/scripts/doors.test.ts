import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { kindOf, readDoors } from "../../scripts/doors.ts";
import { root } from "../harness/programs.ts";

const doors = readDoors(readFileSync(join(root, "docs/doors.md"), "utf8"));

test("each way of docs/doors.md has a test that exists and that npm run test:doors runs", () => {
  expect(doors.length).toBeGreaterThan(15);
  for (const { way, tests } of doors) {
    expect(tests, way).not.toEqual([]);
    for (const file of tests) {
      expect(existsSync(join(root, file)), file).toBe(true);
      expect(kindOf(file), file).toBeDefined();
    }
  }
});

test("a row without a proof, or with a proof that nothing runs, is seen", () => {
  const text = `| way | standard | what it can do | proved by | missing |
|---|---|---|---|---|
| A | X 1 | buy | \`x\` | [more](../test/more.test.ts) |
| [B](b.md) | Y | sell | [\`y\`](../test/b.test.ts), [\`z\`](../docs/z.md) | |`;
  const [none, other] = readDoors(text);
  expect(none).toEqual({ way: "A (X 1)", tests: [] });
  expect(other).toEqual({ way: "[B](b.md) (Y)", tests: ["test/b.test.ts", "docs/z.md"] });
  expect(other?.tests.map((file) => kindOf(file) !== undefined)).toEqual([true, false]);
});
