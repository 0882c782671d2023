import { expect, test } from "vitest";
import { readClusterOptions } from "../../../tools/cluster/options.ts";

test.each([
  ["--fault", [["--fault", "replica"]]],
  ["--fault must be", [["--rehearse", "--fault", "nothing"]]],
  [
    "--seed and --rounds",
    [
      ["--rehearse", "--seed", "0"],
      ["--rehearse", "--rounds", "some"],
    ],
  ],
  [
    "The minutes and the rate",
    [
      ["--soak", "0"],
      ["--soak", "--rate", "none"],
    ],
  ],
  ["Unknown option '--speed'", [["--soak", "--speed", "1"]]],
])("arguments are refused with what is wrong of them: %s", (message, lists) => {
  for (const args of lists) expect(() => readClusterOptions(args)).toThrow(message);
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
