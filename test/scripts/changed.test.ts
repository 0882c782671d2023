import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeEach, expect, test } from "vitest";
import { findChanged } from "../../scripts/changed.ts";

const root = mkdtempSync(join(tmpdir(), "earnest-changed-"));
afterAll(() => rmSync(root, { recursive: true }));

const imports = (...paths: string[]) => paths.map((path) => `import { a } from "${path}";`).join("\n");
const files: Record<string, string> = {
  "api/app.ts": imports("./orders/trail.ts", "./orders/work.ts"),
  "api/orders/trail.ts": imports("../../db/relays.ts"),
  "api/orders/work.ts": "",
  "contracts/src/Escrow.sol": "",
  "db/relays.ts": "",
  "db/unused.ts": "",
  "docs/errors.md": "",
  "scripts/start.ts": "",
  "settlement/terms.ts": "",
  "src/escrow.ts": "",
  "test/api/orders/reading.test.ts": imports("../../harness/api.ts"),
  "test/api/orders/trail.test.ts": imports("../../harness/api.ts", "../../harness/court.ts"),
  "test/harness/court.ts": imports("../../settlement/terms.ts"),
  "test/api/orders/typed.test.ts": `import type { Terms } from "../../../settlement/terms.ts";`,
  "test/api/agents/agents.test.ts": imports("../../harness/api.ts"),
  "test/flows/readme.test.ts": `startProgram("scripts/start.ts"); read("docs/errors.md");`,
  "test/harness/api.ts": imports("../../api/app.ts"),
  "test/harness/global.ts": "",
  "test/jobs/chain/settle.test.ts": "",
  "test/settlement/terms.test.ts": imports("../../settlement/terms.ts"),
  "vitest.config.ts": `export default { globalSetup: "test/harness/global.ts" };`,
};
const flows = Array.from({ length: 30 }, (_, index) => `test/flows/flow-${index}.test.ts`);
for (const flow of flows) files[flow] = imports("../harness/api.ts");
const everyTest = Object.keys(files)
  .filter((file) => file.endsWith(".test.ts"))
  .sort();

const git = (...args: string[]) => {
  const who = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
  execFileSync("git", [...who, ...args], { cwd: root, stdio: "pipe" });
};

function write(file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
}

beforeEach(() => {
  rmSync(root, { recursive: true });
  for (const [file, text] of Object.entries(files)) write(file, text);
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message=All");
});

/** The tests near to a change of these files. */
function near(...changed: string[]): string[] {
  for (const file of changed) write(file, `${files[file] ?? ""}\n`);
  return findChanged(root).tests;
}

const orders = ["test/api/orders/reading.test.ts", "test/api/orders/trail.test.ts"];
const mirror = [...orders, "test/api/orders/typed.test.ts"];

test("nothing where nothing changed", () => {
  expect(findChanged(root)).toEqual({ tests: [], contracts: false });
});

test("a test that changed, and one that git does not know yet", () => {
  expect(near("test/api/agents/agents.test.ts")).toEqual(["test/api/agents/agents.test.ts"]);
  expect(near("test/api/agents/new.test.ts")).toContain("test/api/agents/new.test.ts");
});

test("the folder that mirrors the file's, first the test of its name, and not whoever loads the whole API", () => {
  expect(near("api/orders/trail.ts")).toEqual(["test/api/orders/trail.test.ts", mirror[0], mirror[2]]);
});

test("who imports the file, itself or by a part of the harness that few use, and not for a type alone", () => {
  expect(near("settlement/terms.ts")).toEqual([
    "test/settlement/terms.test.ts",
    "test/api/orders/trail.test.ts",
  ]);
});

test("what starts a program or reads a document by its path", () => {
  expect(near("scripts/start.ts")).toEqual(["test/flows/readme.test.ts"]);
  expect(near("docs/errors.md")).toEqual(["test/flows/readme.test.ts"]);
});

test("of a folder without a mirror, what is near to those who import the file", () => {
  expect(near("db/relays.ts").sort()).toEqual(mirror);
  git("commit", "--quiet", "--all", "--message=Relays");
  expect(near("db/unused.ts")).toEqual([]);
});

test("all who use the harness's file, and every test for what runs before them all", () => {
  expect(near("test/harness/api.ts").sort()).toEqual(
    ["test/api/agents/agents.test.ts", ...orders, ...flows].sort(),
  );
  expect(near("test/harness/global.ts").sort()).toEqual(everyTest);
  git("checkout", "--quiet", ".");
  expect(near("vitest.config.ts").sort()).toEqual(everyTest);
});

test("the handlers that Ponder finds by itself, and the contracts", () => {
  expect(near("src/escrow.ts")).toEqual(["test/jobs/chain/settle.test.ts"]);
  write("contracts/src/Escrow.sol", "// changed");
  expect(findChanged(root).contracts).toBe(true);
});

test("who named a file that is gone, and not a test that is gone", () => {
  rmSync(join(root, "settlement/terms.ts"));
  rmSync(join(root, "test/settlement/terms.test.ts"));
  expect(findChanged(root).tests).toEqual(["test/api/orders/trail.test.ts"]);
});

test("what changed since a commit, whether it is committed or not", () => {
  near("api/orders/work.ts");
  git("commit", "--quiet", "--all", "--message=Work");
  near("test/api/agents/agents.test.ts");
  expect(findChanged(root, "HEAD~1").tests.sort()).toEqual(["test/api/agents/agents.test.ts", ...mirror]);
  expect(findChanged(root).tests).toEqual(["test/api/agents/agents.test.ts"]);
  expect(() => findChanged(root, "nowhere")).toThrow();
});
