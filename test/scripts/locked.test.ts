import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import "../../db/client.ts";
import { findStrays, findUnlocked } from "../../scripts/locked.ts";
import { root } from "../harness/programs.ts";

const read = (file: string) => JSON.parse(readFileSync(join(root, file), "utf8"));
const manifest = read("package.json");
const lock: { packages: Record<string, { version: string }> } = read("package-lock.json");

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "earnest-locked-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("every package is locked with its hash for every system, and no other is installed", () => {
  expect(findUnlocked(lock, Object.keys(manifest.allowScripts))).toEqual([]);
  expect(findStrays(root, lock)).toEqual([]);
  const systems = Object.keys(lock.packages).filter((place) => /node_modules\/node-(linux|win)-/.test(place));
  expect(systems.length).toBeGreaterThanOrEqual(3);
});

test("npm ci takes the lock file as it is, from nothing and without a registry", async () => {
  for (const file of ["package.json", "package-lock.json"]) cpSync(join(root, file), join(folder, file));
  const npm = spawn("npm", ["ci", "--dry-run", "--offline", "--ignore-scripts", "--no-audit"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [npm.stdout, npm.stderr]) stream.on("data", (text) => (output += text));
  const code = await new Promise((resolve) => npm.once("close", resolve));
  expect(code, output).toBe(0);
});

describe("a lock file is refused", () => {
  const good = { version: "1.0.0", integrity: "sha512-AAAA" };
  test.each([
    ["without a hash", { version: "1.0.0" }, "node_modules/a has no SHA-512"],
    ["with a weak hash", { ...good, integrity: "sha1-AAAA" }, "node_modules/a has no SHA-512"],
    [
      "that names a registry",
      { ...good, resolved: "https://x.example/a.tgz" },
      "node_modules/a names a registry",
    ],
    [
      "that lacks a system's package",
      { ...good, optionalDependencies: { "a-darwin": "1.0.0" } },
      "node_modules/a asks for a-darwin, which is not locked",
    ],
    [
      "with an installer that nobody allowed",
      { ...good, hasInstallScript: true },
      "node_modules/a runs a script when it is installed, and allowScripts does not list it",
    ],
  ])("%s", (_, entry, fault) => {
    const packages = { "": { dependencies: { a: "1.0.0" } }, "node_modules/a": entry };
    expect(findUnlocked({ packages }, ["b"])).toEqual([fault]);
  });

  test("but not for what is locked beside or above, nor for an installer that is allowed", () => {
    const packages = {
      "": { dependencies: { a: "1.0.0" } },
      "node_modules/a": { ...good, hasInstallScript: true, dependencies: { "@s/b": "1", c: "1" } },
      "node_modules/a/node_modules/@s/b": { ...good, dependencies: { c: "1" } },
      "node_modules/c": good,
    };
    expect(findUnlocked({ packages }, ["a"])).toEqual([]);
  });
});

test("what an installer fetched by itself, and another version, are found", () => {
  const put = (place: string, version: string) => {
    mkdirSync(join(folder, place), { recursive: true });
    writeFileSync(join(folder, place, "package.json"), JSON.stringify({ version }));
  };
  put("node_modules/a", "1.0.0");
  put("node_modules/a/node_modules/a-linux-x64", "1.0.0");
  put("node_modules/@s/b", "1.0.1");
  const packages = { "node_modules/a": { version: "1.0.0" }, "node_modules/@s/b": { version: "1.0.0" } };
  expect(findStrays(folder, { packages }).sort()).toEqual([
    "node_modules/@s/b 1.0.1",
    "node_modules/a/node_modules/a-linux-x64 1.0.0",
  ]);
});

describe("known advisories", () => {
  const versionsOf = (name: string) =>
    Object.entries(lock.packages).flatMap(([place, { version }]) =>
      place.endsWith(`node_modules/${name}`) ? [{ place, version }] : [],
    );

  test("reach no copy of the HTTP server, Ponder's neither", () => {
    expect(versionsOf("@hono/node-server")).toEqual([
      { place: "node_modules/@hono/node-server", version: manifest.dependencies["@hono/node-server"] },
    ]);
    // 1.19.13 serves static files by the path that the routes see.
    expect(Number(manifest.dependencies["@hono/node-server"].split(".")[2])).toBeGreaterThanOrEqual(13);
  });

  test("of names in SQL: Ponder answers no caller's query", () => {
    const files = ["api", "src/api"].flatMap((room) =>
      readdirSync(join(root, room))
        .filter((file) => file.endsWith(".ts"))
        .map((file) => readFileSync(join(root, room, file), "utf8")),
    );
    // Ponder puts SQL together for callers in the handlers that it exports, which nothing of ours mounts.
    expect(files.filter((code) => /from "ponder"/.test(code))).toEqual([]);
  });
});
