// npm test: the contracts' tests beside all others; ends with one line that counts them. `npm test -- <part of a path>`
// runs the others that match, without the contracts'. `npm test -- --changed` runs those near to what is not committed,
// and `--changed <commit>` those near to what changed since; `--list` names them instead.

import { fileURLToPath } from "node:url";
import { findChanged } from "./changed.ts";
import { type Count, testContracts } from "./contracts.ts";
import { runVitest } from "./vitest.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Runs the tests near to a change, or names them. */
async function testChanged(ref: string | undefined, list: boolean, options: string[]): Promise<Count[]> {
  const { tests, contracts } = findChanged(root, ref);
  const those = [...(contracts ? ["those of the contracts"] : []), ...tests];
  const since = ref ? `what changed since ${ref}` : "what is not committed";
  console.log(`${tests.length} test files are near to ${since}${list ? ":" : ", the nearest first."}`);
  if (list) console.log(those.map((name) => `  ${name}`).join("\n"));
  if (list || those.length === 0) process.exit();
  return Promise.all([
    ...(contracts ? [testContracts()] : []),
    ...(tests.length > 0 ? [runVitest([...tests, ...options], { NEAREST_TESTS: tests.join() })] : []),
  ]);
}

const args = process.argv.slice(2);
const [at, list] = [args.indexOf("--changed"), args.includes("--list")];
const ref = at === -1 || args[at + 1]?.startsWith("-") ? undefined : args[at + 1];
const others = args.filter((one, index) => one !== "--list" && index !== at && (at === -1 || one !== ref));
const counts =
  at === -1
    ? await Promise.all([...(args.length === 0 ? [testContracts()] : []), runVitest(args)])
    : await testChanged(ref, list, others);
const sum = (of: keyof Count) => counts.reduce((total, count) => total + count[of], 0);
const [passed, failed, skipped] = [sum("passed"), sum("failed"), sum("skipped")];
if (passed + failed === 0) console.error("No test ran.");
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
