// npm run check: all checks of the repository that do not run the service, a line each.

import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { isRunnable, toolPath } from "../tools/build/tools.ts";

type Check = {
  name: string;
  /** the command or the change that corrects a failure */
  remedy: string;
  run: () => Promise<CheckResult>;
};
type CheckResult = { ok: boolean; output: string };

/** The most checks at once: each may take half a gigabyte. */
const mostLanes = 4;

const root = fileURLToPath(new URL("..", import.meta.url));

/** Runs a program at the root. Its environment is that of this process with the variables of `env`. */
function run(file: string, args: string[], env: Record<string, string> = {}): Promise<CheckResult> {
  return new Promise((resolve) => {
    const child = spawn(file, args, { cwd: root, env: { ...process.env, ...env } });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (text) => {
        output += text;
      });
    }
    child.on("error", (error) => resolve({ ok: false, output: error.message }));
    child.on("close", (code) => resolve({ ok: code === 0, output }));
  });
}

const tool = (name: string, ...args: string[]) => run(toolPath(name), args);
const script = (name: string, ...args: string[]) => run(process.execPath, [join("scripts", name), ...args]);

/** Checks that db/migrations match db/schema.ts: drizzle has no migration to add. */
async function checkMigrations(): Promise<CheckResult> {
  const copy = join(root, "node_modules", ".cache", `migrations-${process.pid}`);
  try {
    mkdirSync(copy, { recursive: true });
    cpSync(join(root, "db", "migrations"), copy, { recursive: true });
    const before = readdirSync(copy).length;
    const { ok, output } = await tool(
      "drizzle-kit",
      "generate",
      "--dialect=postgresql",
      "--schema=./db/schema.ts",
      `--out=${relative(root, copy)}`,
    );
    return { ok: ok && readdirSync(copy).length === before, output };
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Compares the committed copy with the file that Ponder writes at the root. The copy lies in another folder. */
async function checkPonderTypes(): Promise<CheckResult> {
  const committed = readFileSync(join(root, "tools/indexer/ponder-env.d.ts"), "utf8");
  const { ok, output } = await tool("ponder", "codegen");
  const written = readFileSync(join(root, "ponder-env.d.ts"), "utf8");
  return { ok: ok && written.replaceAll('"./', '"../../') === committed, output };
}

/** The folders of tests that mirror no source: their files are named after flows, faults and pages. */
const namedByFlow = /^test\/(?:console|docs|faults|flows|harness)\//;

/** Checks that each test has the name of a source, or of the folder of its sources. */
async function checkTestNames(): Promise<CheckResult> {
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
  });
  const names = files.split("\n");
  const sources = new Set(names.map((name) => name.replace(/\.[^./]+$/, "")));
  const isNamed = (test: string) => {
    const folder = dirname(test)
      .replace(/^test\/contracts$/, "test/protocol/settlement")
      .slice("test/".length);
    const [name = ""] = basename(test).split(".");
    return (
      sources.has(`${folder}/${name}`) ||
      (name === basename(folder) && names.some((one) => one.startsWith(`${folder}/`)))
    );
  };
  const strays = names.filter(
    (name) => /^test\/.*\.test\.ts$/.test(name) && !namedByFlow.test(name) && !isNamed(name),
  );
  return { ok: strays.length === 0, output: strays.join("\n") };
}

/** Shortens the output of a failed check to its beginning and its end. */
function shorten(lines: string[], ends = 40): string[] {
  if (lines.length <= 2 * ends) return lines;
  return [...lines.slice(0, ends), `... ${lines.length - 2 * ends} more lines ...`, ...lines.slice(-ends)];
}

const generate = "node scripts/generate.ts";
/**
 * The checks that read the sources, the longest first. The compiler runs on one thread, which needs half the processor time:
 * no file is read twice.
 */
const ofSources: Check[] = [
  { name: "types", remedy: "tsc", run: () => tool("tsc", "--singleThreaded") },
  {
    name: "types of console/",
    remedy: "tsc -p console",
    run: () => tool("tsc", "-p", "console", "--singleThreaded"),
  },
  {
    name: "format, lint",
    remedy: "npm run format",
    run: () => tool("biome", "check", "--error-on-warnings", "."),
  },
  {
    name: "format of clients/python",
    remedy: "npm run format",
    run: () => script("python-format.ts", "--check"),
  },
  {
    name: "which room imports which",
    remedy: "follow the output; docs/architecture.md has the table",
    run: () =>
      tool("depcruise", ".", "--config", "scripts/dependency-rules.mjs", "--output-type", "err-long"),
  },
  {
    name: "subjects of commits",
    remedy: "use git rebase -i; docs/CONTRIBUTING.md has the rules",
    run: () => script("commit-message.ts"),
  },
  {
    name: "packages as they ship",
    remedy: "use what the package documents, or another package",
    run: () => script("stock.ts"),
  },
  {
    name: "unused files, exports, packages",
    remedy: "knip",
    run: () => tool("knip", "--config", "scripts/knip.json"),
  },
  {
    name: "paths and links in docs, comments",
    remedy: "follow the output",
    run: () => script("references.ts"),
  },
  {
    name: "table of settings from config/",
    remedy: generate,
    run: () => script("generate/settings.ts", "--check"),
  },
  {
    name: "names of tests",
    remedy: "name the test after its source; docs/CONTRIBUTING.md has the rule",
    run: checkTestNames,
  },
  { name: "English of comments, documents", remedy: "follow the output", run: () => script("english.ts") },
  {
    name: "texts of console/ in a catalogue",
    remedy: "use i18n.t of console/src/text/i18n.ts",
    run: () => script("texts.ts"),
  },
  {
    name: "console/src/text/ from console/src/",
    remedy: `${generate}; translate the new entries of de.po, and generate again`,
    run: () => script("generate/texts.ts", "--check"),
  },
  {
    name: "docs/openapi.json from api/",
    remedy: generate,
    run: () => script("generate/openapi.ts", "--check"),
  },
  {
    name: "clients/ from docs/openapi.json",
    remedy: generate,
    run: () => run(process.execPath, [join("clients", "generator", "generate.ts"), "--check"]),
  },
  {
    name: "package of clients/typescript",
    remedy: "change its package.json or build.ts as publint and attw ask",
    run: () => script("package.ts"),
  },
  {
    name: "schemas, vectors of receipts/",
    remedy: generate,
    run: () => script("generate/receipts.ts", "--check"),
  },
  {
    name: "protocol vectors of settlement/",
    remedy: generate,
    run: () => script("generate/protocol.ts", "--check"),
  },
  { name: "db/migrations from db/schema.ts", remedy: generate, run: checkMigrations },
  {
    name: "package-lock.json",
    remedy: "rm -rf node_modules && npm ci; lock or remove the packages that are not locked",
    run: () => script("lock.ts"),
  },
];
/** The checks that write a file among the sources. */
const atLast: Check[] = [
  {
    name: "tools/indexer/ponder-env.d.ts",
    remedy: "copy the output of `ponder codegen`, with ../../ for ./",
    run: checkPonderTypes,
  },
];
/** The checks that compile contracts, in this order: each uses the output of the previous one. */
const ofContracts: Check[] = [
  { name: "format of contracts", remedy: "npm run format", run: () => tool("forge", "fmt", "--check") },
  {
    name: "lint of contracts",
    remedy: "follow the output; foundry.toml has the rules",
    run: () => run(toolPath("forge"), ["lint", "contracts"], { FOUNDRY_PROFILE: "lint" }),
  },
  { name: "abis/ from contracts/", remedy: generate, run: () => script("generate/abis.ts", "--check") },
  {
    name: "gas of contracts",
    remedy: `${generate}; explain the change in the commit`,
    run: () => tool("forge", "test", "--match-contract", "GasTest$", "--gas-snapshot-check=true"),
  },
  {
    name: "contracts/test/cases.tree",
    remedy: generate,
    run: () => script("generate/cases.ts", "--check"),
  },
];

if (!isRunnable("forge")) {
  console.error(
    "npm has no forge for this system: install Foundry with the installer of https://getfoundry.sh.",
  );
  process.exit(1);
}
/** Runs checks one after the other. Returns the number of failed checks. */
async function runAll(checks: Check[]): Promise<number> {
  let failed = 0;
  for (const { name, remedy, run: runCheck } of checks) {
    const begin = performance.now();
    const { ok, output } = await runCheck();
    const seconds = ((performance.now() - begin) / 1000).toFixed(1);
    console.log(`${ok ? "ok    " : "FAILED"}  ${name.padEnd(34)} ${seconds.padStart(5)} s`);
    if (ok) continue;
    failed++;
    for (const line of shorten(output.trimEnd().split("\n"))) console.log(`        ${line}`);
    console.log(`        Remedy: ${remedy}`);
  }
  return failed;
}

/** Runs series of checks, one series per processor at once. Returns the number of failed checks. */
async function runInParallel(series: Check[][]): Promise<number> {
  const waiting = [...series];
  const lanes = Array.from({ length: Math.min(availableParallelism(), mostLanes) }, async () => {
    let failed = 0;
    for (let next = waiting.shift(); next; next = waiting.shift()) failed += await runAll(next);
    return failed;
  });
  return (await Promise.all(lanes)).reduce((sum, failed) => sum + failed, 0);
}

const failed =
  (await runInParallel([ofContracts, ...ofSources.map((one) => [one])])) + (await runAll(atLast));
const count = ofContracts.length + ofSources.length + atLast.length;
console.log(failed === 0 ? "All checks passed." : `${failed} of ${count} checks failed.`);
process.exitCode = failed === 0 ? 0 : 1;
