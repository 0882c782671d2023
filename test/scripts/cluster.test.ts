import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { root } from "../harness/programs.ts";

test.each([
  ["--fault", "worker"],
  ["--rehearse", "--fault", "nothing"],
  ["--rehearse", "--seed", "0"],
  ["--rehearse", "--rounds", "some"],
  ["--soak", "0"],
  ["--soak", "--rate", "none"],
])("the arguments %s %s %s are refused with the usage", (...args) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/cluster.ts", ...args], {
    cwd: root,
    encoding: "utf8",
    timeout: 300_000,
  });
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toContain("--rehearse --fault KIND");
});
