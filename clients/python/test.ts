import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const folder = import.meta.dirname;
const cache = resolve(folder, "../../node_modules/.cache/clients-python");

type Environment = {
  /** the file with the version of each package */
  constraints: string;
  /** the programs and packages of the tests */
  tools: string[];
  extras: string;
};
const usual: Environment = {
  constraints: "constraints.txt",
  tools: [
    "a2a-sdk[signing]",
    "build",
    "editables",
    "hatchling",
    "langchain",
    "mypy",
    "pyright",
    "pytest",
    "pytest-xdist",
    "ruff",
    "types-protobuf",
  ],
  extras: "langchain,openai-agents,wallet",
};
/** The packages that only `npm run test:doors` installs, because they take minutes, and the tests that need them. */
const ofDoors: Environment = {
  constraints: "constraints.doors.txt",
  tools: ["editables", "hatchling", "pytest", "pytest-xdist", "x402[requests,evm]"],
  extras: "crewai,wallet",
};
const testsOfDoors = ["test_crewai.py", "test_x402.py"];

type Count = { passed: number; failed: number };
/** More failures than this are not caused by a busy machine, so they do not run again. */
const mostAgain = 8;

/**
 * Runs the Python client's tests in a virtual environment of their own.
 *
 * @param env the variables of the tests: `EARNEST_URL` and `EARNEST_RPC_URL` of a service
 */
export async function testPython(env: Record<string, string>): Promise<Count> {
  return await testIn(usual, env, []);
}

/** Runs some files of these tests, such as `test_x402.py`, each with the packages that it needs. */
export async function testPythonFiles(env: Record<string, string>, files: string[]): Promise<Count> {
  const sum = { passed: 0, failed: 0 };
  for (const environment of [usual, ofDoors]) {
    const own = files.filter((file) => testsOfDoors.includes(file) === (environment === ofDoors));
    if (own.length === 0) continue;
    const { passed, failed } = await testIn(
      environment,
      env,
      own.map((file) => join("tests", file)),
    );
    sum.passed += passed;
    sum.failed += failed;
  }
  return sum;
}

/** @param files the files to run; all without one */
async function testIn(
  environment: Environment,
  env: Record<string, string>,
  files: string[],
): Promise<Count> {
  const python = await prepareEnvironment(environment);
  if (!python) return { passed: 0, failed: 1 };
  const reports = mkdtempSync(join(tmpdir(), "earnest-python-"));
  try {
    const first = await runPytest(python, reports, env, ...files);
    if (first.failed === 0 || first.failed > mostAgain) return first;
    console.log("Once more: what failed. What passes now is unsteady; its name stands above.");
    const again = ["--last-failed", "--last-failed-no-failures=none"];
    const second = await runPytest(python, reports, env, ...files, ...again);
    return { passed: first.passed + second.passed, failed: second.failed };
  } catch (error) {
    console.error(`pytest left no report: ${(error as Error).message}`);
    return { passed: 0, failed: 1 };
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
}

/** @param reports the folder of the report and of the list of failed tests */
async function runPytest(
  python: string,
  reports: string,
  env: Record<string, string>,
  ...args: string[]
): Promise<Count> {
  const file = join(reports, "junit.xml");
  // These replace the options of pyproject.toml, which store nothing.
  const options = ["-o", "addopts=-q --strict-markers", "-o", `cache_dir=${join(reports, "cache")}`];
  // Most of a test is waiting, so five files run at once. The slow files come first in the alphabet.
  options.push("-n", "5", "--dist", "loadfile", "--no-loadscope-reorder");
  const child = spawn(python, ["-m", "pytest", `--junitxml=${file}`, ...options, ...args], {
    cwd: folder,
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  const status = await endOf(child);
  const suite = /<testsuite [^>]*>/.exec(readFileSync(file, "utf8"))?.[0] ?? "";
  const [tests = 0, ...bad] = ["tests", "failures", "errors", "skipped"].map((name) =>
    Number(new RegExp(` ${name}="(\\d+)"`).exec(suite)?.[1] ?? 0),
  );
  const failed = bad.reduce((sum, count) => sum + count, 0);
  return { passed: tests - failed, failed: Math.max(failed, status === 0 ? 0 : 1) };
}

/** Returns the exit code of a program; null if it does not start. */
function endOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => {
    child.once("error", () => resolve(null));
    child.once("close", resolve);
  });
}

/** Returns the Python of a virtual environment, which is made once for these pins; null if that fails. */
async function prepareEnvironment({ constraints, tools, extras }: Environment): Promise<string | null> {
  const digest = createHash("sha256");
  for (const name of [constraints, "pyproject.toml"]) digest.update(readFileSync(join(folder, name)));
  const made = join(cache, digest.digest("hex").slice(0, 16));
  const python = join(made, process.platform === "win32" ? "Scripts/python.exe" : "bin/python");
  if (existsSync(join(made, "done"))) return python;
  rmSync(made, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  // To compile each module takes a third of the time, and the tests load few of them.
  const install = [
    "-m",
    "pip",
    "install",
    "--quiet",
    "--disable-pip-version-check",
    "--no-compile",
    "-c",
    constraints,
  ];
  for (const [file, ...args] of [
    ["python3", "-m", "venv", made],
    [python, ...install, ...tools],
    [python, ...install, "--no-build-isolation", "-e", `.[${extras}]`],
  ] as const) {
    // This process also serves the stage of the scenarios to the other clients, so it must not block.
    const status = await endOf(spawn(file, args, { cwd: folder, stdio: "inherit" }));
    if (status === 0) continue;
    console.error(`${file} ${args.join(" ")} failed; what it says above is the cause.`);
    return null;
  }
  writeFileSync(join(made, "done"), "");
  return python;
}
