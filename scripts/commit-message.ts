// The rules for the subject of a commit. `node scripts/commit-message.ts <file>` checks a message: scripts/hooks/commit-msg
// does so before each commit. Without a file it checks the commits that the main branch lacks, as `npm run check` does.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

const longest = 72;
/** First words that are no verb in the imperative. */
const otherBeginnings =
  /^(A|An|And|As|At|But|By|Each|Every|For|From|He|How|If|In|It|Its|No|Not|Of|On|Only|Our|She|So|Some|That|The|Their|There|These|They|This|Those|To|We|What|When|Where|Which|Who|Whoever|Why|With)$/;
/** Verbs whose imperative looks like a participle. */
const imperatives = /^(Bring|Embed|Exceed|Feed|Ping|Proceed|Seed|Shed|Speed|Spring|String)$/;

/** Returns a sentence for each fault of a subject. A subject that git writes has none. */
export function findSubjectFaults(subject: string): string[] {
  if (/^((Merge|Revert) |(fixup|squash)! )/.test(subject)) return [];
  if (subject.trim() === "") return ["The subject is empty."];
  const [first = ""] = subject.split(" ");
  const faults: string[] = [];
  if (subject.length > longest)
    faults.push(`The subject has ${subject.length} characters: use at most ${longest}.`);
  if (subject.endsWith(".")) faults.push("The subject ends with a full stop: leave it out.");
  if (!/^[A-Z]/.test(first)) faults.push("The subject does not begin with a capital letter.");
  const looksWrong = /(ed|ing)$/.test(first) && !imperatives.test(first);
  if (looksWrong || otherBeginnings.test(first))
    faults.push(`The subject begins with "${first}": begin with a verb in the imperative, as in "Add".`);
  return faults;
}

/** Returns the subject of a message: its first line that is not empty and not a comment. */
export function subjectOf(message: string): string {
  return message.split("\n").find((line) => line.trim() !== "" && !line.startsWith("#")) ?? "";
}

/** Reads the subjects of this branch's commits that the main branch lacks. There are none outside a git checkout. */
function readNewSubjects(): string[] {
  for (const base of ["origin/HEAD", "main"]) {
    const { status, stdout } = spawnSync("git", ["log", "--no-merges", "--format=%s", `${base}..HEAD`], {
      encoding: "utf8",
    });
    if (status === 0) return stdout.split("\n").slice(0, -1);
  }
  return [];
}

if (import.meta.main) {
  const [file] = process.argv.slice(2);
  const subjects = file ? [subjectOf(readFileSync(file, "utf8"))] : readNewSubjects();
  for (const subject of subjects) {
    const faults = findSubjectFaults(subject);
    if (faults.length === 0) continue;
    console.error([`Commit "${subject}":`, ...faults].join("\n  "));
    process.exitCode = 1;
  }
}
