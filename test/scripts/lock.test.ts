import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import "../../db/client.ts";
import { findUnlocked } from "../../scripts/lock.ts";
import { root } from "../harness/programs.ts";

const read = (file: string) => JSON.parse(readFileSync(join(root, file), "utf8"));
const manifest = read("package.json");
const lock: { packages: Record<string, { version: string; integrity?: string }> } = read("package-lock.json");

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "earnest-lock-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("every package is locked with its hash, for every system", () => {
  expect(findUnlocked(lock)).toEqual([]);
  const systems = Object.keys(lock.packages).filter((place) => /node_modules\/node-(linux|win)-/.test(place));
  expect(systems.length).toBeGreaterThanOrEqual(3);
});

test("npm ci accepts the lock file, from nothing and without a registry", async () => {
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

test.each([
  ["no hash", {}, "node_modules/a has no SHA-512"],
  ["a weak hash", { integrity: "sha1-AAAA" }, "node_modules/a has no SHA-512"],
  [
    "an address",
    { integrity: "sha512-AAAA", resolved: "https://x.example/a.tgz" },
    "node_modules/a has a URL: https://x.example/a.tgz",
  ],
])("a package with %s is refused", (_, entry, fault) => {
  expect(findUnlocked({ packages: { "": {}, "node_modules/a": entry } })).toEqual([fault]);
});

describe("known advisories", () => {
  const versionsOf = (name: string) =>
    Object.entries(lock.packages).flatMap(([place, { version }]) =>
      place.endsWith(`node_modules/${name}`) ? [{ place, version }] : [],
    );

  test("affect no copy of the HTTP server, including Ponder's", () => {
    expect(versionsOf("@hono/node-server")).toEqual([
      { place: "node_modules/@hono/node-server", version: manifest.dependencies["@hono/node-server"] },
    ]);
    // Version 1.19.13 serves static files by the path that the routes get.
    expect(Number(manifest.dependencies["@hono/node-server"].split(".")[2])).toBeGreaterThanOrEqual(13);
  });

  test("of names in SQL cannot be used: Ponder answers no caller's query", () => {
    const files = ["api", "src/api"].flatMap((room) =>
      readdirSync(join(root, room))
        .filter((file) => file.endsWith(".ts"))
        .map((file) => readFileSync(join(root, room, file), "utf8")),
    );
    // Ponder builds SQL for callers in its exported handlers, which this service does not mount.
    expect(files.filter((code) => /from "ponder"/.test(code))).toEqual([]);
  });
});
