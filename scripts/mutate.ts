// npm run mutate: makes one small change at a time in the contracts and runs their tests, which must fail.
// `npm run mutate -- <part of an id>` tries only the mutants that match.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { compile, readSources } from "../contracts/mutation/compile.ts";
import { copyLane, createLane, test, type Verdict } from "../contracts/mutation/lane.ts";
import { listMutants, type Mutant } from "../contracts/mutation/mutants.ts";
import { kinds } from "../contracts/mutation/rules.ts";

const lanes = 2;
/** Mutants that behave like the original, each with the reason. */
const explainedFile = new URL("../contracts/mutation/equivalent.json", import.meta.url);
const explained = z
  .record(z.string(), z.string().min(1))
  .parse(JSON.parse(readFileSync(explainedFile, "utf8")));

type MutantResult = {
  mutant: Mutant;
  result: "killed" | "survived" | "does not compile" | "same code";
  verdict: Verdict;
};

const begin = performance.now();
const filters = process.argv.slice(2);
const mutants = readSources()
  .flatMap(listMutants)
  .filter(({ id }) => filters.every((filter) => id.includes(filter)));

const folder = mkdtempSync(join(tmpdir(), "mutants-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

const sound = compile({});
if ("error" in sound) throw new Error(`contracts/src does not compile:\n${sound.error}`);
const first = createLane(join(folder, "0"));
for (const thorough of [false, true]) {
  const verdict = await test(first, sound, { thorough });
  if (verdict) throw new Error(`The tests fail before any change: ${verdict.killer}: ${verdict.reason}`);
}
const folders = Array.from({ length: lanes }, (_, n) =>
  n === 0 ? first : copyLane(first, join(folder, String(n))),
);

const outcomes: MutantResult[] = [];
const queue = mutants.entries();
await Promise.all(
  folders.map(async (lane) => {
    for (const [at, mutant] of queue) {
      outcomes[at] = await testMutant(mutant, lane);
      const { result, verdict } = outcomes[at];
      if (filters.length > 0) console.log(`${result.padEnd(16)} ${mutant.id}  ${verdict?.killer ?? ""}`);
      else if (result === "survived" && !explained[mutant.id]) console.log(`not noticed: ${mutant.id}`);
      if ((at + 1) % 100 === 0) console.log(`${at + 1} of ${mutants.length} mutants, ${seconds()} s`);
    }
  }),
);
report();

/** Runs the quick tests first, and all tests on a mutant that survives them. */
async function testMutant(mutant: Mutant, lane: string): Promise<MutantResult> {
  const compiled = compile({ [mutant.file]: mutant.text });
  if ("error" in compiled) return { mutant, result: "does not compile", verdict: null };
  if (isDeepStrictEqual(compiled, sound)) return { mutant, result: "same code", verdict: null };
  const verdict =
    (await test(lane, compiled, { thorough: false })) ?? (await test(lane, compiled, { thorough: true }));
  return { mutant, result: verdict ? "killed" : "survived", verdict };
}

function seconds(): string {
  return ((performance.now() - begin) / 1000).toFixed(0);
}

function report(): void {
  const columns = ["killed", "survived", "does not compile", "same code"] as const;
  const row = (name: string, some: MutantResult[]) => {
    const counts = columns.map((column) => some.filter(({ result }) => result === column).length);
    return [name, String((counts[0] ?? 0) + (counts[1] ?? 0)), ...counts.map(String)];
  };
  const rows = kinds
    .map((kind) =>
      row(
        kind,
        outcomes.filter(({ mutant }) => mutant.kind === kind),
      ),
    )
    .filter((cells) => cells.slice(1).some((cell) => cell !== "0"));
  console.log("");
  for (const cells of [["", "tried", ...columns], ...rows, row("all", outcomes)]) {
    console.log(cells.map((cell, at) => (at === 0 ? cell.padEnd(18) : cell.padStart(18))).join(""));
  }

  const survivors = outcomes.filter(({ result }) => result === "survived").map(({ mutant }) => mutant);
  const unexplained = survivors.filter(({ id }) => !explained[id]);
  const ids = new Set(survivors.map(({ id }) => id));
  const stale = Object.keys(explained)
    .filter((id) => !ids.has(id))
    .filter((id) => filters.every((filter) => id.includes(filter)));
  console.log("\nSurvivors, and why no test can notice them:");
  for (const { id, file, line } of survivors) {
    if (explained[id]) console.log(`  ${file}:${line}  ${id}\n    ${explained[id]}`);
  }
  for (const { id, file, line } of unexplained) console.log(`  NOT NOTICED  ${file}:${line}  ${id}`);
  for (const id of stale)
    console.log(`  NO SURVIVOR  ${id}: remove it from contracts/mutation/equivalent.json`);
  const killed = outcomes.filter(({ result }) => result === "killed");
  const killers = new Set(killed.map(({ verdict }) => verdict?.killer));
  console.log(
    `\n${killed.length} mutants killed, by ${killers.size} tests; ${survivors.length} survived, ` +
      `${unexplained.length} of them unexplained; ${seconds()} s.`,
  );
  process.exitCode = unexplained.length + stale.length > 0 ? 1 : 0;
}
