// Which tests are near to a change. Nearly every test runs the whole API, so that what a test merely loads says little:
// near are the tests in the folder that mirrors a changed file's, and those that name the file themselves.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, extname, join, normalize } from "node:path";

/** What no path in a program shows: Ponder finds src/ by itself, and drizzle its migrations. */
const found: Record<string, string> = {
  "src/": "test/jobs/chain/",
  "ponder.": "test/jobs/chain/",
  "db/migrations/": "test/jobs/migrate.test.ts",
};

export type Changed = {
  /** test files, the nearest first */
  tests: string[];
  /** whether the contracts' own tests are touched */
  contracts: boolean;
};

/**
 * The tests near to what differs from a commit, committed or not.
 *
 * @param root a checkout
 * @param ref as `git diff` takes it; HEAD is what is not committed
 * @throws where git knows no such commit
 */
export function findChanged(root: string, ref = "HEAD"): Changed {
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "core.quotepath=off", ...args], { cwd: root, encoding: "utf8" })
      .split("\n")
      .filter(Boolean);
  const untracked = git("ls-files", "--others", "--exclude-standard");
  const changed = [
    ...git("diff", "--name-only", "--no-renames", "--end-of-options", ref, "--"),
    ...untracked,
  ];
  const files = new Set([...git("ls-files"), ...changed]);
  const importers = readImporters(root, files);
  const ranks = new Map<string, number>();
  for (const file of changed) {
    for (const [test, rank] of rankTests(file, files, importers)) {
      if (existsSync(join(root, test))) ranks.set(test, Math.min(rank, ranks.get(test) ?? rank));
    }
  }
  return {
    tests: [...ranks].sort((a, b) => a[1] - b[1] || a[0].localeCompare(b[0])).map(([test]) => test),
    contracts: changed.some((file) => file.startsWith("contracts/") || file === "foundry.toml"),
  };
}

/** By each file, the files that name it in quotes: in an import, or in the path of a program that they start. */
function readImporters(root: string, files: Set<string>): Map<string, string[]> {
  const importers = new Map<string, string[]>();
  for (const file of files) {
    if (![".ts", ".mjs", ".cjs"].includes(extname(file)) || !existsSync(join(root, file))) continue;
    // A type is gone when the program runs.
    const text = readFileSync(join(root, file), "utf8").replaceAll(
      /^(?:import|export) type [^"]*from "[^"]+"/gm,
      "",
    );
    const named = [...text.matchAll(/"([^"\n]+\.\w+)"/g)].map(([, path = ""]) =>
      path.startsWith(".") ? normalize(join(dirname(file), path)) : path,
    );
    for (const path of new Set(named)) {
      if (files.has(path)) importers.set(path, [...(importers.get(path) ?? []), file]);
    }
  }
  return importers;
}

const isTest = (file: string) => file.endsWith(".test.ts");
const isOfTests = (file: string) => file.startsWith("test/");

/** A part of the harness that more tests use than this is the ground of them all: what it imports is not what they test. */
const many = 20;

/** How many tests use a part of the harness, themselves or by another part. */
function countUsers(part: string, importers: Map<string, string[]>): number {
  const users = new Set([part]);
  for (const file of users) for (const importer of importers.get(file) ?? []) users.add(importer);
  return [...users].filter(isTest).length;
}

/** The tests near to a file, with how many steps they are away. */
function rankTests(
  changed: string,
  files: Set<string>,
  importers: Map<string, string[]>,
): Map<string, number> {
  const ranks = new Map<string, number>();
  const queue: [string, number][] = [[changed, 0]];
  const seen = new Set<string>();
  const add = (test: string, rank: number) => ranks.has(test) || ranks.set(test, rank);
  for (const [file, rank] of queue) {
    if (seen.has(file)) continue;
    seen.add(file);
    if (isTest(file)) add(file, rank);
    const mirror = mirrorOf(file, files);
    // Its own is the one that bears its name.
    const [name = ""] = basename(file).split(".");
    for (const test of mirror) add(test, basename(test).startsWith(name) ? rank : rank + 2);
    // The configuration of all tests names what runs before each of them.
    if (file === "vitest.config.ts") for (const test of [...files].filter(isTest)) add(test, rank + 2);
    for (const importer of importers.get(file) ?? []) {
      const isGround = !isOfTests(file) && isOfTests(importer) && countUsers(importer, importers) > many;
      if (!isGround && (isOfTests(importer) || mirror.length === 0)) queue.push([importer, rank + 1]);
    }
  }
  return ranks;
}

/** The tests of the folder that stands in test/ for the file's own, or for the nearest above it. */
function mirrorOf(file: string, files: Set<string>): string[] {
  if (isOfTests(file)) return [];
  const rule = Object.entries(found).find(([start]) => file.startsWith(start))?.[1];
  if (rule) return [...files].filter((test) => isTest(test) && test.startsWith(rule));
  for (let folder = dirname(file); folder !== "."; folder = dirname(folder)) {
    const tests = [...files].filter((test) => isTest(test) && dirname(test) === `test/${folder}`);
    if (tests.length > 0) return tests;
  }
  return [];
}
