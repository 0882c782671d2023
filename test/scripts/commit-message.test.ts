import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findSubjectFaults, subjectOf } from "../../scripts/commit-message.ts";
import { root } from "../harness/programs.ts";

const long = `Add ${"x".repeat(69)}`;

describe("a subject", () => {
  test.each([
    "Retry a relay after a shallow reorganisation",
    "Feed the index from one cursor",
    "Name the noun in twenty-five comments",
    "Merge branch 'main' into escrow",
    'Revert "Add a check of commit subjects that is longer than a subject may be by itself"',
    "fixup! Add a check of commit subjects whose text with the prefix is longer than it may be",
    "squash! Add a check",
    long.slice(0, 72),
  ])("is accepted: %s", (subject) => expect(findSubjectFaults(subject)).toEqual([]));

  test.each([
    ["", "The subject is empty."],
    [" ", "The subject is empty."],
    [long, "The subject has 73 characters: use at most 72."],
    ["Add a check.", "The subject ends with a full stop: leave it out."],
    ["add a check", "The subject does not begin with a capital letter."],
    ["Added a check", 'The subject begins with "Added": begin with a verb in the imperative, as in "Add".'],
    ["Adding a check", 'The subject begins with "Adding": begin with a verb in the imperative, as in "Add".'],
    ["The check is new", 'The subject begins with "The": begin with a verb in the imperative, as in "Add".'],
  ])("is refused: %s", (subject, fault) => expect(findSubjectFaults(subject)).toEqual([fault]));

  test("is the first line that git keeps", () => {
    expect(subjectOf("\n# a comment\nAdd a check\n\nBecause.\n")).toBe("Add a check");
    expect(subjectOf("# a comment\n")).toBe("");
  });
});

describe("in a checkout", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "earnest-commits-"));
    mkdirSync(join(folder, "scripts"));
    for (const path of ["scripts/commit-message.ts", "scripts/hooks"])
      cpSync(join(root, path), join(folder, path), { recursive: true });
    git("init", "--quiet", "--initial-branch=main");
    git("config", "user.name", "A Developer");
    git("config", "user.email", "developer@example.org");
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function git(...args: string[]) {
    return spawnSync("git", args, { cwd: folder, encoding: "utf8" });
  }
  const commit = (subject: string) => git("commit", "--quiet", "--allow-empty", "-m", subject);
  const check = () =>
    spawnSync(process.execPath, ["scripts/commit-message.ts"], { cwd: folder, encoding: "utf8" });

  test("the hook refuses a commit with a bad subject, and accepts a good one", () => {
    git("config", "core.hooksPath", "scripts/hooks");
    const refused = commit("Added a file.");
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toContain("The subject ends with a full stop");
    expect(git("log").status).not.toBe(0);
    expect(commit("Add a file").stderr).toBe("");
    expect(git("log", "--format=%s").stdout).toBe("Add a file\n");
  });

  test("the check reads the commits that the main branch lacks", () => {
    commit("what main has already");
    git("checkout", "--quiet", "-b", "topic");
    commit("Add a file");
    expect(check()).toMatchObject({ status: 0, stderr: "" });
    commit("more of it");
    expect(check()).toMatchObject({
      status: 1,
      stderr: 'Commit "more of it":\n  The subject does not begin with a capital letter.\n',
    });
  });
});
