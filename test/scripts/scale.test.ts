import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { root } from "../harness/programs.ts";

const run = (...args: string[]) =>
  spawnSync(process.execPath, ["scripts/scale.ts", ...args], {
    cwd: root,
    encoding: "utf8",
    timeout: 300_000,
  });

test.each([
  ["--orders", "0"],
  ["--core", "free"],
  ["--fill", "10", "--from", "postgres://127.0.0.1/one"],
])("the arguments %s %s are refused with the usage", (...args) => {
  const { status, stdout, stderr } = run(...args);
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toContain("npm run scale -- --orders N");
});

test("a plan of given orders and prices is printed", () => {
  const cost = (...prices: string[]) => {
    const { status, stdout } = run("--orders", "2000000", ...prices);
    expect(status).toBe(0);
    expect(stdout).toContain("2,000,000 a day");
    return Number(/(\d+) +│\n└/.exec(stdout)?.[1]);
  };
  const [both, cores, disks] = [cost(), cost("--gigabyte", "0.000001"), cost("--core", "0.000001")];
  expect(cores).toBeGreaterThan(0);
  expect(disks).toBeGreaterThan(0);
  expect(Math.abs(cores + disks - both)).toBeLessThanOrEqual(2);
});
