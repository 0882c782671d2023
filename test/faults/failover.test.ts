import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { findParts } from "../../tools/cluster/parts.ts";
import { root } from "../harness/programs.ts";

const found = findParts();

test("a leader that is killed under writes is replaced by a replica, which has every acknowledged write", async () => {
  // This test fetches nothing.
  if ("missing" in found) {
    expect(found.missing.filter((line) => !/^.+\.$/.test(line))).toEqual([]);
    return console.log(`Patroni was not rehearsed. ${found.missing.join(" ")}`);
  }
  const child = spawn(process.execPath, ["scripts/cluster.ts", "--failover"], { cwd: root });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const [output, warnings, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  expect({ output, warnings, code }).toEqual({
    output: expect.stringMatching(/(postgres-\d) was killed; (?!\1)postgres-\d leads after/),
    warnings: "",
    code: 0,
  });
});
