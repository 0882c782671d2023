import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

// The version of drizzle-orm that Ponder pins lets a quote end a name (GHSA-gpj5-g38j-94v9), so no name may
// come from a caller.

const root = join(import.meta.dirname, "../..");
const rooms = ["api", "trade", "jobs", "db", "tools/stack", "tools/indexer", "src"];

/** Constants of the program, its columns, and the schema name of an index, which is generated. */
const ownNames = new Set([
  ...["viewsSchema", "schema", "await findSchema(db, deployment)"],
  ...["name", "alias", "column", "row", "table"],
  ...["`of_$" + "{name}`", "`read_$" + "{opened}`", "`key_$" + "{at}`"],
]);

test("each name in SQL comes from the program", () => {
  const files = rooms.flatMap((room) => globSync(`${room}/**/*.ts`, { cwd: root }));
  const names = files.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/sql\.identifier\(((?:[^()]|\([^()]*\))*)\)/g)].map(
      ([, name]) => ({ file, name }),
    ),
  );
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter(({ name = "" }) => !ownNames.has(name))).toEqual([]);
});
