// npm run test:doors: runs the tests in which programs of others use the service, and prints the counts as the last line. The
// table of docs/doors.md names the files: each proof is a link to its test. `npm run test:all` runs them too, except those of
// CrewAI and of the x402 client of PyPI, whose installation takes minutes.

import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { testPythonFiles } from "../clients/python/test.ts";
import { startService } from "../clients/service.ts";
import type { Count } from "./contracts.ts";
import { printTotal, runScript, runVitest } from "./test.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** A way in of the table, with the tests that prove it, as paths from the root. */
export type Door = { way: string; tests: string[] };

/** Reads the table of docs/doors.md. */
export function readDoors(text: string): Door[] {
  const rows = text.split("\n").filter((line) => line.startsWith("| "));
  return rows.slice(1).map((row) => {
    const [, way = "", standard = "", , proofs = ""] = row.split(/(?<!\\)\|/);
    const tests = [...proofs.matchAll(/\]\(\.\.\/([^)#]+)\)/g)].map(([, file]) => String(file));
    return { way: `${way.trim()} (${standard.trim()})`, tests };
  });
}

/** Each kind of test, by its path, and what runs its files. */
const kinds: { files: RegExp; run: (files: string[]) => Promise<Omit<Count, "skipped">> }[] = [
  { files: /^test\/.+\.test\.ts$/, run: (files) => runVitest(files) },
  {
    files: /^clients\/typescript\/test\/.+\.test\.ts$/,
    run: (files) => runVitest(["--config=clients/typescript/vitest.config.ts", ...files]),
  },
  { files: /^clients\/python\/tests\/test_\w+\.py$/, run: runPython },
  { files: /^scripts\/description\.ts$/, run: () => runScript("test:description") },
];

async function runPython(files: string[]): Promise<Omit<Count, "skipped">> {
  const service = await startService();
  try {
    const env = { EARNEST_URL: service.url, EARNEST_RPC_URL: service.rpcUrl };
    const names = files.map((file) => basename(file));
    return await testPythonFiles(env, names);
  } finally {
    await service.stop();
  }
}

/** Returns the kind of a test's file; undefined if nothing here runs it. */
export const kindOf = (file: string) => kinds.find(({ files }) => files.test(file));

if (import.meta.main) {
  const doors = readDoors(readFileSync(join(root, "docs", "doors.md"), "utf8"));
  const tests = [...new Set(doors.flatMap((door) => door.tests))];
  const unknown = tests.filter((file) => !kindOf(file));
  const counts: Count[] = [
    { passed: 0, failed: unknown.length, skipped: 0, remarks: unknown.map((file) => `not run: ${file}`) },
  ];
  for (const kind of kinds) {
    const files = tests.filter((file) => kindOf(file) === kind);
    if (files.length > 0) counts.push({ skipped: 0, ...(await kind.run(files)) });
  }
  printTotal(counts);
}
