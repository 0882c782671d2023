import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const folder = import.meta.dirname;
const cache = resolve(folder, "../../node_modules/.cache/clients-python");
/** The programs of the tests and checks, in the versions of constraints.txt. */
const tools = [
  ...[
    "a2a-sdk[signing]",
    "build",
    "editables",
    "hatchling",
    "mypy",
    "pyright",
    "pytest",
    "pytest-xdist",
    "ruff",
  ],
  "types-protobuf",
];

type Count = { passed: number; failed: number };
/** More failures than this are not caused by a busy machine, so they do not run again. */
const mostAgain = 8;

/**
 * Runs the Python client's tests in a virtual environment of their own, with the packages of constraints.txt.
 *
 * @param env the variables of the tests: `EARNEST_URL` and `EARNEST_RPC_URL` of a service
 */
export async function testPython(env: Record<string, string>): Promise<Count> {
  const python = await prepareEnvironment();
  if (!python) return { passed: 0, failed: 1 };
  const reports = mkdtempSync(join(tmpdir(), "earnest-python-"));
  try {
    const first = await runPytest(python, reports, env);
    if (first.failed === 0 || first.failed > mostAgain) return first;
    console.log("Once more: what failed. What passes now is unsteady; its name stands above.");
    const second = await runPytest(python, reports, env, "--last-failed", "--last-failed-no-failures=none");
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
  // Most of a test is waiting, so three files run at once. The slow files come first in the alphabet.
  options.push("-n", "3", "--dist", "loadfile", "--no-loadscope-reorder");
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
export async function prepareEnvironment(): Promise<string | null> {
  const digest = createHash("sha256");
  for (const name of ["constraints.txt", "pyproject.toml"]) digest.update(readFileSync(join(folder, name)));
  const made = join(cache, digest.digest("hex").slice(0, 16));
  const python = join(made, process.platform === "win32" ? "Scripts/python.exe" : "bin/python");
  if (existsSync(join(made, "done"))) return python;
  rmSync(made, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-c", "constraints.txt"];
  for (const [file, ...args] of [
    ["python3", "-m", "venv", made],
    [python, ...install, ...tools],
    [python, ...install, "--no-build-isolation", "-e", ".[wallet]"],
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
