import { expect, test } from "vitest";
import { readClusterOptions } from "../../../tools/cluster/options.ts";

test.each([
  ["--fault", "worker"],
  ["--rehearse", "--fault", "nothing"],
  ["--rehearse", "--seed", "0"],
  ["--rehearse", "--rounds", "some"],
  ["--soak", "0"],
  ["--soak", "--rate", "none"],
  ["--soak", "--speed", "1"],
])("the arguments %s %s %s are refused", (...args) => {
  expect(readClusterOptions(args)).toBeNull();
});

test("no argument starts the parts, and a soak takes its minutes and rate", () => {
  expect(readClusterOptions([])).toMatchObject({ action: "start", seed: 1, minutes: 20, from: "HEAD" });
  expect(readClusterOptions(["--soak", "5", "--rate", "1.5"])).toMatchObject({
    action: "soak",
    minutes: 5,
    rate: 1.5,
  });
});

test("a rehearsal performs the chosen fault once for each round", () => {
  const args = ["--rehearse", "--fault", "replica", "--rounds", "2"];
  expect(readClusterOptions(args)).toMatchObject({ action: "rehearse", faults: ["replica", "replica"] });
});
