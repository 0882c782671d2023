// npm run prove: proves the promises of docs/contract.md for every state, caller, time and amount at once, by halmos on the
// deployed bytes. `npm run prove -- <part of a name>` proves some of them. `npm run prove -- --broken` puts faults into copies
// of the contract, and each named proof must fail. Needs Python 3.11 or newer besides Node.

import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { escrowBytecode } from "../abis/bytecode.ts";
import { isRunnable, toolPath } from "../tools/build/tools.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const pins = join(root, "contracts/proof/requirements.txt");
const proofs = ["Steps", "Payments", "Parts", "Locks", "WaysOut", "Signatures"] as const;
/** Milliseconds after which a proof counts as failed. */
const limit = 30 * 60_000;
const bounds = [
  "Times are below 2^47 s (4.4 million years). A call's bytes are of 0, 65 or 96 bytes: 65 are (v, r, s), all others go on as bytes.",
  "A token is any contract: it answers anything, refuses, or reverts, and a token that refuses has paid nothing. For a token",
  "that follows ERC-20 (deposits), no account holds 2^255 or more; the contract holds and owes a payee less than 2^200",
  "(solvency). The two locks cover the calls that a token itself makes.",
  "Keccak-256 has no collisions, ECDSA is not forged, no two accounts share an address. Gas is not counted: a call that may",
  "fail for gas may only revert with NotEnoughGas. Induction joins the steps: each step keeps the invariants of the next.",
];

const faults = z
  .array(
    z.strictObject({
      fault: z.string(),
      file: z.string(),
      from: z.string(),
      to: z.string(),
      check: z.string(),
    }),
  )
  .parse(JSON.parse(readFileSync(join(root, "contracts/proof/broken.json"), "utf8")));

const artifactShape = z.object({
  bytecode: z.object({ object: z.string() }),
  metadata: z.object({
    output: z.object({
      userdoc: z.object({ methods: z.record(z.string(), z.object({ notice: z.string() })).default({}) }),
    }),
  }),
});
const outputShape = z.object({
  test_results: z.record(
    z.string(),
    z.array(
      z.object({
        exitcode: z.int(),
        num_paths: z.array(z.int()).nullable(),
        num_bounded_loops: z.int().nullable(),
      }),
    ),
  ),
});

type Check = { contract: string; name: string; promise: string };
type Verdict = { result: "proved" | "REFUTED" | "NO PROOF"; paths: number; seconds: number; printed: string };

class Failure extends Error {}
/** Returns the folder of Python's programs with halmos and its solver, which is made once for each set of pinned versions. */
function prepareHalmos(): string {
  const python = spawnSync("python3", ["-c", "import sys, venv; sys.exit(sys.version_info < (3, 11))"]);
  if (python.status !== 0)
    throw new Failure(
      "npm run prove needs Python 3.11 or newer as python3, with its venv: install it and run this again.",
    );
  const digest = createHash("sha256").update(readFileSync(pins)).digest("hex").slice(0, 16);
  const made = join(root, "node_modules/.cache/prove", digest);
  const programs = join(made, process.platform === "win32" ? "Scripts" : "bin");
  if (existsSync(join(made, "done"))) return programs;
  rmSync(made, { recursive: true, force: true });
  mkdirSync(dirname(made), { recursive: true });
  for (const [file, ...args] of [
    ["python3", "-m", "venv", made],
    [
      join(programs, "python"),
      "-m",
      "pip",
      "install",
      "--quiet",
      "--disable-pip-version-check",
      "--no-deps",
      "-r",
      pins,
    ],
  ] as const) {
    const { status } = spawnSync(file, args, { stdio: "inherit" });
    if (status !== 0) throw new Failure(`${file} ${args.join(" ")} failed: the output above has the cause.`);
  }
  writeFileSync(join(made, "done"), "");
  return programs;
}
function environment(programs: string) {
  const PATH = [dirname(toolPath("forge")), programs, process.env.PATH].join(delimiter);
  return { ...process.env, PATH, FOUNDRY_PROFILE: "proof" };
}

function build(folder: string, programs: string): void {
  const args = ["build", "--ast", "--extra-output", "storageLayout", "metadata"];
  const run = spawnSync(toolPath("forge"), args, {
    cwd: folder,
    env: environment(programs),
    encoding: "utf8",
  });
  if (run.status !== 0) throw new Failure(`forge could not build the proofs:\n${run.stdout}${run.stderr}`);
}

function readArtifact(folder: string, file: string, contract: string) {
  const path = join(folder, "contracts/out/proof", `${file}.sol`, `${contract}.json`);
  return artifactShape.parse(JSON.parse(readFileSync(path, "utf8")));
}

/** Reads the checks of the proofs, each with the sentence above it. */
function listChecks(): Check[] {
  return proofs.flatMap((file) =>
    Object.entries(readArtifact(root, file, `${file}Proof`).metadata.output.userdoc.methods)
      .filter(([signature]) => signature.startsWith("prove"))
      .map(([signature, { notice }]) => ({
        contract: `${file}Proof`,
        name: signature.slice(0, signature.indexOf("(")),
        promise: notice,
      })),
  );
}

/** Runs one check. A proof that ran out of time, or whose loops were cut, does not count. */
async function prove(folder: string, programs: string, { contract, name }: Check): Promise<Verdict> {
  const report = join(mkdtempSync(join(tmpdir(), "earnest-prove-")), "report.json");
  const begin = performance.now();
  const args = ["--forge-build-out", "contracts/out/proof"];
  args.push("--contract", contract, "--match-test", `^${name}\\(`, "--early-exit");
  args.push("--default-bytes-lengths", "0,65,96");
  args.push("--solver-timeout-assertion", "10m", "--solver-threads", "1");
  args.push("--solver-command", `sh ${join(root, "contracts/proof/solve.sh")}`);
  args.push("--no-status", "--json-output", report);
  const printed = await run(join(programs, "halmos"), args, folder, environment(programs));
  const seconds = (performance.now() - begin) / 1000;
  const output = existsSync(report)
    ? outputShape.safeParse(JSON.parse(readFileSync(report, "utf8")))
    : undefined;
  rmSync(dirname(report), { recursive: true, force: true });
  const [test, ...others] = Object.values(output?.data?.test_results ?? {}).flat();
  if (!test || others.length > 0) return { result: "NO PROOF", paths: 0, seconds, printed };
  const whole = test.exitcode === 0 && test.num_bounded_loops === 0;
  const result = whole ? "proved" : test.exitcode === 1 ? "REFUTED" : "NO PROOF";
  return { result, paths: test.num_paths?.[0] ?? 0, seconds, printed };
}

function run(file: string, args: string[], cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve) => {
    const child = spawn(file, args, { cwd, env, timeout: limit, killSignal: "SIGKILL" });
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (text) => {
        printed += text;
      });
    }
    child.on("error", (error) => resolve(error.message));
    child.on("close", () => resolve(printed));
  });
}

/** Runs all tasks, one per processor at once. A proof takes up to 2 GB. */
async function inLanes<Task>(
  tasks: Task[],
  work: (task: Task, lane: number) => Promise<void>,
): Promise<void> {
  const queue = tasks.values();
  const lanes = Math.min(4, availableParallelism());
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      for (const task of queue) await work(task, lane);
    }),
  );
}

/** Returns the number of checks that are not proved. */
async function proveAll(programs: string, checks: Check[], filter: string): Promise<number> {
  const chosen = checks.filter(({ name }) => name.includes(filter));
  if (chosen.length === 0) throw new Failure(`No proof is named ${filter}.`);
  let failed = 0;
  await inLanes(chosen, async (check) => {
    const { result, paths, seconds, printed } = await prove(root, programs, check);
    const name = check.name.slice("prove".length).padEnd(28);
    console.log(
      `${result.padEnd(8)} ${seconds.toFixed(0).padStart(4)} s ${String(paths).padStart(5)} paths  ${name} ${check.promise}`,
    );
    if (result === "proved") return;
    failed++;
    console.log(printed.split("\n").slice(-60).join("\n"));
  });
  console.log(`\n${bounds.join("\n")}\n`);
  return failed;
}

/** Returns the number of faults that their proofs did not detect. */
async function proveBroken(programs: string, checks: Check[], filter: string): Promise<number> {
  const chosen = faults.filter(({ fault, check }) => `${check} ${fault}`.includes(filter));
  if (chosen.length === 0) throw new Failure(`No fault is named ${filter}.`);
  const folder = mkdtempSync(join(tmpdir(), "earnest-broken-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
  let unnoticed = 0;
  await inLanes(chosen, async ({ fault, file, from, to, check }, lane) => {
    const copy = join(folder, String(lane));
    if (!existsSync(copy)) copyTree(copy);
    const sound = readFileSync(join(root, "contracts", file), "utf8");
    if (sound.split(from).length !== 2)
      throw new Failure(`broken.json: ${file} must have exactly once: ${from}`);
    const target = checks.find(({ name }) => name === check);
    if (!target) throw new Failure(`broken.json: there is no ${check}`);
    // Without the other proofs, halmos has less to compile.
    for (const name of proofs) {
      const path = `contracts/proof/${name}.sol`;
      if (target.contract === `${name}Proof`) cpSync(join(root, path), join(copy, path));
      else rmSync(join(copy, path), { force: true });
    }
    writeFileSync(
      join(copy, "contracts", file),
      sound.replace(from, () => to),
    );
    // halmos compiles the changed files itself.
    const { result, seconds, printed } = await prove(copy, programs, target);
    writeFileSync(join(copy, "contracts", file), sound);
    console.log(
      `${(result === "REFUTED" ? "noticed" : "NOT NOTICED").padEnd(11)} ${seconds.toFixed(0).padStart(4)} s  ${check}: ${fault}`,
    );
    if (result === "REFUTED") return;
    unnoticed++;
    if (result === "NO PROOF") console.log(printed.split("\n").slice(-20).join("\n"));
  });
  return unnoticed;
}

/** Copies the inputs of forge and its build into a new folder. */
function copyTree(folder: string): void {
  for (const path of [
    "contracts/src",
    "contracts/proof",
    "contracts/out/proof",
    "contracts/cache/proof",
    "foundry.toml",
    "scripts/solc.cjs",
  ]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
}

try {
  if (!isRunnable("forge"))
    throw new Failure(
      "npm has no forge for this system: install Foundry with the installer of https://getfoundry.sh.",
    );
  const words = process.argv.slice(2);
  const broken = words.includes("--broken");
  const filter = words.find((word) => !word.startsWith("--")) ?? "";
  const programs = prepareHalmos();
  build(root, programs);
  if (readArtifact(root, "Escrow", "Escrow").bytecode.object !== escrowBytecode)
    throw new Failure(
      "The contract compiles to other bytes than abis/bytecode.ts has: run node scripts/generate/abis.ts.",
    );
  const checks = listChecks();
  const begin = performance.now();
  const failed = await (broken ? proveBroken : proveAll)(programs, checks, filter);
  const minutes = ((performance.now() - begin) / 60_000).toFixed(1);
  console.log(
    failed === 0
      ? `All is ${broken ? "noticed" : "proved"}; ${minutes} min.`
      : `${failed} failed; ${minutes} min.`,
  );
  process.exitCode = failed === 0 ? 0 : 1;
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
